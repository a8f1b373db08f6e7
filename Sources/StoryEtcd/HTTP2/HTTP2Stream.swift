/// One stream of a connection: the bytes that wait to be sent, and those that came.
final class HTTP2Stream {
    /// The reason why the bytes of a stream are no messages.
    enum Fault: Error, Equatable {
        /// A message is longer than the limit.
        case tooLong
        /// A message is compressed, which no request permits.
        case compressed
    }

    var status = GRPCStatus()
    /// True once both ends are closed.
    var isClosed = false
    private var outgoing: [UInt8]
    private var sentCount = 0
    /// True where nothing follows the bytes that wait.
    private let isRequestWhole: Bool
    private var incoming: [UInt8] = []
    private var takenCount = 0

    init(sending bytes: [UInt8], isRequestWhole: Bool) {
        outgoing = bytes
        self.isRequestWhole = isRequestWhole
    }

    // MARK: Sending

    /// Adds bytes that are sent behind the others.
    func send(_ bytes: [UInt8]) { outgoing += bytes }

    /// Copies bytes that are to be sent.
    ///
    /// - Returns: how many; nil where none wait, and more may come.
    func copyOutgoing(to buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = min(buffer.count, outgoing.count - sentCount)
        guard count > 0 || isRequestWhole else { return nil }
        buffer.copyBytes(from: outgoing[sentCount..<sentCount + count])
        sentCount += count
        if sentCount == outgoing.count { (outgoing, sentCount) = ([], 0) }
        return count
    }

    /// True where the request ends with the bytes that were copied.
    var isRequestSent: Bool { isRequestWhole && outgoing.isEmpty }

    // MARK: Receiving

    func received(_ bytes: UnsafeRawBufferPointer) { incoming.append(contentsOf: bytes) }

    /// True where bytes came that no message has.
    var hasRest: Bool { takenCount < incoming.count }

    /// Returns the next message, which is valid until more bytes come; nil where it is not whole yet.
    ///
    /// - Parameter limit: the number of bytes that a message may have.
    func nextMessage(limit: Int) throws(Fault) -> ArraySlice<UInt8>? {
        let rest = incoming[takenCount...]
        guard rest.count >= 5 else {
            dropTaken()
            return nil
        }
        guard incoming[takenCount] == 0 else { throw .compressed }
        let length = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= limit else { throw .tooLong }
        guard rest.count - 5 >= length else {
            dropTaken()
            return nil
        }
        takenCount += 5 + length
        return rest.dropFirst(5).prefix(length)
    }

    /// Forgets the messages that were taken; a large buffer is given back.
    private func dropTaken() {
        guard takenCount > 0 else { return }
        incoming = Array(incoming[takenCount...])
        takenCount = 0
    }
}

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
