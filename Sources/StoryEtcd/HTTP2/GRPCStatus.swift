/// The end of a call as its headers and trailers have it.
struct GRPCStatus: Equatable {
    /// The number of bytes of a message that are kept.
    private static let mostMessage = 1_024

    private(set) var isHTTP = false
    /// The code; nil before the trailers.
    private(set) var code: Int?
    private(set) var message = ""

    /// Takes a header or a trailer.
    mutating func headerReceived(_ name: String, _ value: UnsafeRawBufferPointer) {
        let text = String(decoding: value.prefix(GRPCStatus.mostMessage), as: UTF8.self)
        switch name {
        case ":status": isHTTP = text == "200"
        case "grpc-status": code = Int(text)
        case "grpc-message": message = GRPCStatus.decoded(text)
        default: break
        }
    }

    /// True where the call was carried out, and its reply is whole.
    var isDone: Bool { isHTTP && code == 0 }

    /// Returns a text with its bytes for `%XX`.
    private static func decoded(_ text: String) -> String {
        guard text.utf8.contains(0x25) else { return text }
        var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
