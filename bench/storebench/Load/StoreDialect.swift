import Glibc

/// Storykeep's line protocol. What it says is in StoreRequests.swift.
final class StoreDialect: Dialect {
    static let isGreeted = true
    /// Tells this run's IDs from those of other runs.
    let run: Int
    /// What there is to ask for.
    let stored: Stored
    /// The first byte of the line that is coming in and how many of it are here.
    private var kind: UInt8 = 0
    private var length = 0
    private var isEvent = false

    init(run: Int = 0, stored: Stored = Stored()) {
        self.run = run
        self.stored = stored
    }

    func hear(_ bytes: UnsafeRawBufferPointer, _ heard: inout Heard) {
        guard var at = bytes.baseAddress else { return }
        let end = at + bytes.count
        while at < end {
            begin(at, end)
            guard let lineEnd = memchr(at, 0x0A, end - at) else {
                length += end - at
                return
            }
            finish(&heard)
            at = UnsafeRawPointer(lineEnd) + 1
        }
    }

    /// Looks at a line's first bytes. A push is an event when its object begins with `position` and says no row.
    private func begin(_ at: UnsafeRawPointer, _ end: UnsafeRawPointer) {
        if length == 0 { kind = at.load(as: UInt8.self); isEvent = false }
        guard kind == 0x3E, length < 8 else { return }
        for offset in 0..<min(8 - length, end - at) where at.load(fromByteOffset: offset, as: UInt8.self) == 0x70 {
            isEvent = true
        }
    }

    private func finish(_ heard: inout Heard) {
        switch kind {
        case 0x3D: heard.events += 1
        case 0x3E where isEvent: heard.events += 1
        case 0x2B: heard.answers += 1
        case 0x2D:
            heard.answers += 1
            heard.failures += 1
        default: break
        }
        length = 0
    }
}
