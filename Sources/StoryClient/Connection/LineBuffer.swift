/// Bytes that arrived, taken out line by line.
struct LineBuffer {
    /// The longest line that is believed: four times what a store accepts, since escapes make rows longer.
    static let longestLine = 8_388_608

    private var bytes: [UInt8] = []
    private var start = 0
    /// No LF is before this; so a long line is not searched again for each of its parts.
    private var searched = 0

    /// Bytes that are not a whole line yet.
    var unreadCount: Int { bytes.count - start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0, start == bytes.count || start > 65_536 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next whole line, without its LF.
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

    /// What is left when no more will come: a last line without its LF.
    mutating func rest() -> ArraySlice<UInt8>? {
        guard start < bytes.count else { return nil }
        defer {
            start = bytes.count
            searched = start
        }
        return bytes[start...]
    }
}
