/// Where the live records of a log lie in `data.mdb`, found by walking the newest commit's pages without LMDB.
struct LogPages {
    private static let pageSize = 4_096

    /// By position.
    private(set) var records: [UInt64: Range<Int>] = [:]
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // Of the two meta pages the one with the higher transaction number; its second database is the main one.
        let meta = number(144, 8) >= number(LogPages.pageSize + 144, 8) ? 0 : LogPages.pageSize
        var waiting = [number(meta + 128, 8)]
        while let page = waiting.popLast() {
            let start = page * LogPages.pageSize
            for index in 0..<(number(start + 12, 2) - 16) / 2 {
                let node = start + number(start + 16 + 2 * index, 2)
                if number(start + 10, 2) & 0x01 != 0 {
                    waiting.append(number(node, 4) | number(node + 4, 2) << 32)
                } else {
                    records[position(node + 8)] = record(node)
                }
            }
        }
    }

    /// A value follows its key of eight bytes, or lies on pages of its own behind a header of sixteen.
    private func record(_ node: Int) -> Range<Int> {
        let count = number(node, 4)
        let start = number(node + 4, 2) & 0x01 == 0 ? node + 16 : number(node + 16, 8) * LogPages.pageSize + 16
        return start..<start + count
    }

    private func position(_ offset: Int) -> UInt64 {
        bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func number(_ offset: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
}
