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
    /// True once a request names the last position that was heard.
    var hearsPositions = false
    /// The last position that an answer told, of those that came in one piece.
    private(set) var heardPosition = 0

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
            if hearsPositions, kind == 0x2B {
                hearPosition(UnsafeRawBufferPointer(start: at, count: UnsafeRawPointer(lineEnd) - at))
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

    private func hearPosition(_ line: UnsafeRawBufferPointer) {
        let name: StaticString = "position\":"
        let count = name.utf8CodeUnitCount
        for start in line.indices.dropLast(count) where line[start] == 0x22 {
            guard let here = line.baseAddress, memcmp(here + start + 1, name.utf8Start, count) == 0 else { continue }
            var position = 0
            for byte in line[(start + 1 + count)...] {
                guard 0x30...0x39 ~= byte else { break }
                position = position &* 10 &+ Int(byte & 15)
            }
            heardPosition = max(heardPosition, position)
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
