import StoryCore

/// Which streams events belonged to that are lost: the versions that are missing tell, between which positions too.
///
/// Where several could stand at a position, one of them is chosen; each stream keeps its versions 1, 2, 3 … then.
struct LostEvents {
    /// Versions that are missing from a stream, all of them between two positions.
    private struct Gap {
        let stream: String
        var version: UInt64
        let last: UInt64
        let after: UInt64
        let before: UInt64
    }

    /// How far a stream is.
    private struct Known {
        var version: UInt64
        var position: UInt64
    }

    private var streams: [String: Known] = [:]
    private var gaps: [Gap] = []
    /// Those that could stand where the next lost event is, the most urgent one last.
    private var waiting: [Gap] = []
    private var taken = 0
    private var last = (position: UInt64(0), key: String?.none)
    /// Positions between two events of one write, and its key.
    private var keys: [(positions: Range<UInt64>, key: String)] = []

    /// Takes note of the events that are there, in their order.
    mutating func add(_ record: EventRecord) {
        let name = String(decoding: record.json[record.stream], as: UTF8.self)
        let (position, version) = (record.position.value, record.version.value)
        let known = streams[name] ?? Known(version: 0, position: 0)
        if version > known.version + 1 {
            gaps.append(
                Gap(
                    stream: name, version: known.version + 1, last: version - 1, after: known.position, before: position
                ))
        }
        streams[name] = Known(version: version, position: position)
        let key = record.key.map { String(decoding: record.json[$0], as: UTF8.self) }
        if let key, key == last.key, position > last.position + 1 { keys.append((last.position + 1..<position, key)) }
        last = (position, key)
    }

    /// All were added.
    mutating func begin() {
        gaps.sort { $0.after < $1.after }
        keys.reverse()
    }

    /// A name that no stream has which is known of: this one, or this one and a number.
    func freeName(_ name: String) -> String {
        guard streams[name] != nil else { return name }
        var number = 2
        while streams["\(name)-\(number)"] != nil { number += 1 }
        return "\(name)-\(number)"
    }

    /// The key of the write that a lost position lies in; nil where that is not known. Asked for in order.
    mutating func key(at position: UInt64) -> String? {
        while let next = keys.last, next.positions.upperBound <= position { keys.removeLast() }
        return keys.last.flatMap { $0.positions.contains(position) ? $0.key : nil }
    }

    /// What stood at a lost position; nil where no stream lacks an event there. The positions are asked for in order.
    mutating func next(at position: UInt64) -> (stream: String, version: Version)? {
        while taken < gaps.count, gaps[taken].after < position {
            let gap = gaps[taken]
            let index = waiting.firstIndex { $0.before <= gap.before } ?? waiting.count
            waiting.insert(gap, at: index)
            taken += 1
        }
        while let gap = waiting.last, gap.before <= position { waiting.removeLast() }
        guard var gap = waiting.popLast() else { return nil }
        let found = (gap.stream, Version(gap.version))
        gap.version += 1
        if gap.version <= gap.last { waiting.append(gap) }
        return found
    }
}
