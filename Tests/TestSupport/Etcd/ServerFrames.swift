/// Frames of HTTP/2 as a server sends them, made by hand.
package enum ServerFrames {
    /// The server's settings, which come first.
    package static let settings = frame(type: 4, flags: 0, stream: 0, [])

    /// Makes a frame.
    ///
    /// - Parameters:
    ///   - type: its type.
    ///   - flags: its flags.
    ///   - stream: the number of its stream.
    ///   - payload: its bytes, of which the length is written.
    package static func frame(type: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
            + [UInt8(truncatingIfNeeded: length), type, flags] + bigEndian(stream) + payload
    }

    /// Makes headers or trailers, as literals that no table gets.
    package static func headers(
        stream: UInt32, _ fields: [(name: String, value: String)], isEnd: Bool = false
    ) -> [UInt8] {
        let block = fields.flatMap { [UInt8(0)] + text($0.name) + text($0.value) }
        return frame(type: 1, flags: isEnd ? 5 : 4, stream: stream, block)
    }

    /// Makes the headers of a reply.
    package static func began(stream: UInt32) -> [UInt8] {
        headers(stream: stream, [(":status", "200"), ("content-type", "application/grpc")])
    }

    /// Makes the trailers of a reply.
    package static func status(stream: UInt32, _ code: Int, _ message: String = "") -> [UInt8] {
        headers(stream: stream, [("grpc-status", "\(code)"), ("grpc-message", message)], isEnd: true)
    }

    /// Makes the only headers of a reply without a message.
    package static func refusal(stream: UInt32, _ code: Int, _ message: String) -> [UInt8] {
        let fields = [(":status", "200"), ("grpc-status", "\(code)"), ("grpc-message", message)]
        return headers(stream: stream, fields, isEnd: true)
    }

    /// Makes a whole reply.
    package static func reply(stream: UInt32, _ message: [UInt8]) -> [UInt8] {
        began(stream: stream) + data(stream: stream, framed(message)) + status(stream: stream, 0)
    }

    /// Makes frames of data with at most 16 KiB each.
    package static func data(stream: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 16_384).flatMap { start in
            frame(type: 0, flags: 0, stream: stream, Array(bytes[start..<min(start + 16_384, bytes.count)]))
        }
    }

    /// Puts the prefix that gRPC has before a message.
    package static func framed(_ message: [UInt8]) -> [UInt8] { [0] + bigEndian(UInt32(message.count)) + message }

    /// Makes the reset of a stream.
    package static func reset(stream: UInt32, _ code: UInt32) -> [UInt8] {
        frame(type: 3, flags: 0, stream: stream, bigEndian(code))
    }

    /// Makes the announcement of the connection's end.
    package static func goAway(last: UInt32) -> [UInt8] {
        frame(type: 7, flags: 0, stream: 0, bigEndian(last) + bigEndian(0))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    }

    /// Makes a text as HPACK has it without Huffman's code: a length with a prefix of seven bits, and the bytes.
    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (length, rest) = ([UInt8(127)], bytes.count - 127)
        while rest >= 128 {
            length.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }
}
