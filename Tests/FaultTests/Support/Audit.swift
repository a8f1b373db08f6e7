import TestSupport

/// Reads what a daemon stored and holds it against what writers know: nothing acknowledged is missing, nothing is
/// there twice or by half, and there is no gap.
struct Audit {
    /// The writes that a key made, as they lie in the log.
    private struct Found {
        var count = 0
        var last: UInt64 = 0
    }

    /// The last event that was read.
    private(set) var head: UInt64 = 0
    /// How many events of users were read.
    private(set) var events: UInt64 = 0
    private var versions: [String: UInt64] = [:]
    private var random: SplitMix64
    /// How many writes of all were acknowledged, and how many never were but had been stored.
    private(set) var acknowledged = 0
    private(set) var storedUnheard = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Checks what was written since the last time, then sends the writes again that had no reply, and some that had.
    mutating func check(_ writes: [SentWrite], _ socket: LineSocket) throws {
        let first = try read(socket)
        for write in writes { check(write, first[write.key]) }
        let known = Set(writes.map(\.key))
        for key in first.keys { expect(known.contains(key), "nobody wrote \(key) in this round") }
        let again = try repeated(writes, first, socket)
        let second = try read(socket)
        for write in again {
            let count = (first[write.key]?.count ?? 0) + (second[write.key]?.count ?? 0)
            expect(count == write.count, "\(write.key) made \(count) events")
        }
        expect(second.keys.allSatisfy { key in again.contains { $0.key == key } })
    }

    private mutating func check(_ write: SentWrite, _ found: Found?) {
        let count = found?.count ?? 0
        if let position = write.position {
            acknowledged += 1
            expect(count == write.count, "\(write.key) was acknowledged, and has \(count) events")
            expect(found?.last == position, "\(write.key) lies elsewhere than its receipt says")
        } else {
            if count > 0 { storedUnheard += 1 }
            expect(count == 0 || count == write.count, "\(write.key) is there by half: \(count) of \(write.count)")
        }
    }

    /// Sends writes once more; answers which.
    private mutating func repeated(
        _ writes: [SentWrite], _ found: [String: Found], _ socket: LineSocket
    ) throws -> [SentWrite] {
        let heard = writes.filter { $0.position != nil }.shuffled(using: &random).prefix(20)
        let again = writes.filter { $0.position == nil } + heard
        for write in again {
            let reply = try socket.ask(write.line)
            expect(reply.hasPrefix("+"), "\(write.line) was answered \(reply)")
            let isRepeated = reply.hasSuffix(#""repeated":true}"#)
            expect(isRepeated == (found[write.key] != nil), "\(write.key): \(reply)")
            if let last = found[write.key]?.last { expect(reply.number("position") == last) }
        }
        return again
    }

    /// Reads what is new, every position and version of it in order; answers what each key made.
    private mutating func read(_ socket: LineSocket) throws -> [String: Found] {
        var found: [String: Found] = [:]
        while true {
            let rows = try socket.rows("READ events from=\(head + 1) limit=10000")
            if rows.isEmpty { return found }
            for row in rows {
                let (position, stream) = (row.number("position"), row.text("stream") ?? "")
                expect(position == head + 1, "a gap or a repetition: \(row.prefix(120))")
                expect(row.number("version") == (versions[stream] ?? 0) + 1, "\(row.prefix(120))")
                head += 1
                versions[stream, default: 0] += 1
                // A definition is nobody's write.
                if stream.hasPrefix("model-") { continue }
                events += 1
                let key = row.text("key") ?? ""
                found[key, default: Found()].count += 1
                found[key]?.last = head
            }
        }
    }
}
