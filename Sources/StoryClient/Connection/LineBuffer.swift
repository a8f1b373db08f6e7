/// A buffer of received bytes that are read line by line.
struct LineBuffer {
    /// The maximum size of a line in bytes: eight times the 1 MiB that a store accepts, since escapes make rows longer.
    static let longestLine = 8_388_608

    private var bytes: [UInt8] = []
    private var start = 0
    /// An index with no LF between `start` and it, so that a long line is not searched again for each of its parts.
    private var searched = 0

    /// The number of bytes that were not returned yet.
    var unreadCount: Int { bytes.count - start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0, start == bytes.count || start > 65_536 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Returns the next whole line without its LF; nil if there is none.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: 0x0A) else {
            searched = bytes.count
            return nil
        }
        defer {
            start = end + 1
            searched = start
        }
        return bytes[start..<end]
    }

    /// Returns the bytes that remain at the end of the input, a last line without its LF; nil if there are none.
    mutating func rest() -> ArraySlice<UInt8>? {
        guard start < bytes.count else { return nil }
        defer {
            start = bytes.count
            searched = start
        }
        return bytes[start...]
    }
}
