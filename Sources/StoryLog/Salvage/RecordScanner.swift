import Glibc
import StoryCore
import StoryStorage

/// A scanner for intact records in any bytes: each has its position in its text, and a checksum that is seeded with it.
///
/// So neither the pages of LMDB nor the headers and tables of blocks have to be intact.
enum RecordScanner {
    private static let beginning = Array(#"{"position":"#.utf8)

    /// Visits each intact record: its position, and its offset.
    static func run(_ bytes: UnsafeRawBufferPointer, _ visit: (_ position: UInt64, _ start: Int) -> Void) {
        var from = 0
        while let json = next(bytes, from) {
            from = json + beginning.count
            guard let position = number(bytes, at: from) else { continue }
            // One salt, of the content, or two, of the labels and of the content, precede the JSON.
            for salts in 1...2 {
                let start = json - EventHeader.size - salts * RecordLayout.saltSize
                if start >= 0, read(bytes, at: start, position) != nil {
                    visit(position, start)
                    break
                }
            }
        }
    }

    /// Returns the record at an offset; nil if there is no intact record of this position.
    static func read(_ bytes: UnsafeRawBufferPointer, at start: Int, _ position: UInt64) -> EventRecord? {
        try? Record.read(Record.record(in: bytes, from: start, at: position), at: position)
    }

    private static func next(_ bytes: UnsafeRawBufferPointer, _ from: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var from = from
        while bytes.count - from >= beginning.count {
            guard let brace = memchr(base + from, 0x7B, bytes.count - from - beginning.count + 1) else { return nil }
            let found = UnsafeRawPointer(brace) - base
            if beginning.equals(bytes.slice(found, count: beginning.count)) { return found }
            from = found + 1
        }
        return nil
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt64? {
        var value: UInt64 = 0
        var index = start
        while index < bytes.count, index < start + 16, (0x30...0x39).contains(bytes[index]) {
            value = value * 10 + UInt64(bytes[index] - 0x30)
            index += 1
        }
        return value > 0 ? value : nil
    }
}
