import StoryWire

/// The framing of a link: makes requests into bytes, and bytes into lines or answers.
///
/// A framing bounds the bytes that it keeps of the other side.
protocol LinkFraming: ~Copyable {
    /// The protocols that TLS offers (ALPN).
    static var protocols: [String] { get }
    /// Begins with a connection that is open.
    mutating func begin()
    /// Takes bytes of the other side.
    mutating func append(_ bytes: UnsafeRawBufferPointer)
    /// Returns the bytes to send, since the last call.
    mutating func takeOutput() -> [UInt8]
    /// Drops the connection's bytes and frees their memory, since it is at its end.
    mutating func end()
}

/// The framing of stores: lines.
struct LineFraming: ~Copyable, LinkFraming {
    static let protocols: [String] = []

    var lines: LineFramer
    private var output: [UInt8] = []

    /// Creates a framing.
    ///
    /// - Parameter limit: the longest line of the other side, in bytes.
    init(limit: Int) { lines = LineFramer(limit: limit) }

    /// Adds bytes to send.
    mutating func send(_ bytes: [UInt8]) { output += bytes }

    mutating func begin() {}
    mutating func append(_ bytes: UnsafeRawBufferPointer) { lines.append(bytes) }

    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    mutating func end() {
        lines.restart()
        output = []
    }
}
