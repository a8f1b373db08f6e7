import StoryCore

/// The streams of lost events, found from the versions that are missing between known positions.
///
/// If several events may belong at a position, one of them is chosen; each stream keeps its versions 1, 2, 3 … then.
struct LostEvents {
    /// Versions that are missing from a stream, all of them between two positions.
    private struct Gap {
        let stream: String
        var version: UInt64
        let last: UInt64
        let after: UInt64
        let before: UInt64
    }

    /// The last version of a stream that was added, and its position.
    private struct Known {
        var version: UInt64
        var position: UInt64
    }

    private var streams: [String: Known] = [:]
    private var gaps: [Gap] = []
    /// The gaps that may include the next lost event, the most urgent one last.
    private var waiting: [Gap] = []
    private var taken = 0
    private var last = (position: UInt64(0), key: String?.none)
    /// Positions between two events of one write, and its key.
    private var keys: [(positions: Range<UInt64>, key: String)] = []

    /// Adds an event that is intact; events are added in their order.
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

    /// Begins the look-ups, after all events were added.
    mutating func begin() {
        gaps.sort { $0.after < $1.after }
        keys.reverse()
    }

    /// Returns a name that no known stream has: the given one, or that and a number.
    func freeName(_ name: String) -> String {
        guard streams[name] != nil else { return name }
        var number = 2
        while streams["\(name)-\(number)"] != nil { number += 1 }
        return "\(name)-\(number)"
    }

    /// Returns the key of the write that a lost position belongs to; nil if it is not known. Positions are looked up in
    /// ascending order.
    mutating func key(at position: UInt64) -> String? {
        while let next = keys.last, next.positions.upperBound <= position { keys.removeLast() }
        return keys.last.flatMap { $0.positions.contains(position) ? $0.key : nil }
    }

    /// Returns the stream and version of a lost position; nil if no stream lacks an event there. Positions are looked
    /// up in ascending order.
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
