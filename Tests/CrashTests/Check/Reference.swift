import Glibc
import StoryCore
import StoryLog
import StoryStorage
import TestSupport

/// Every event of a run, as its log holds it in the end: positions are given once, so none may ever name another.
struct Reference {
    /// The line of each event, from position 1 on.
    let events: [[UInt8]]
    /// The key of each one, which all events of one write have.
    private let keys: [String?]
    /// The positions of events that were erased: their lines have what is kept.
    private let erased: Set<UInt64>

    var head: UInt64 { UInt64(events.count) }

    /// Reads the log of a directory that nobody serves.
    init(reading path: String) throws {
        let log = try LMDBEventLog(in: DataDirectory(path, for: .reading), now: Instant(milliseconds: 1))
        defer { log.close() }
        var (events, erased) = ([[UInt8]](), Set<UInt64>())
        try log.scan(from: Position(1), through: log.head, order: .ascending) { record in
            events.append(Array(record.json))
            if record.erased != nil { erased.insert(record.position.value) }
            return true
        }
        (self.events, self.erased) = (events, erased)
        keys = events.map { String(decoding: $0, as: UTF8.self).text("key") }
    }

    init(events: [String]) {
        self.events = events.map { Array($0.utf8) }
        erased = []
        keys = events.map { $0.text("key") }
    }

    /// True where a record is the event at its position, or was before that was erased.
    func isSame(_ record: EventRecord) -> Bool {
        let position = record.position.value
        guard record.erased == nil || record.json.count == events[Int(position) - 1].count else { return false }
        return isSame(record.json, at: position)
    }

    /// True where a text is the event at a position; of one that was erased, it begins with what is kept.
    func isSame(_ text: some Collection<UInt8>, at position: UInt64) -> Bool {
        let wanted = events[Int(position) - 1]
        return erased.contains(position) ? text.starts(with: wanted) : text.elementsEqual(wanted)
    }

    /// True where the first events are those of a later run, in which fewer may be erased.
    func begins(_ other: Reference, through last: UInt64) -> Bool {
        other.head >= last && (0..<last).allSatisfy { isSame(other.events[Int($0)], at: $0 + 1) }
    }

    /// True where a log that ends there has a part of a write.
    func isWithinWrite(_ head: UInt64) -> Bool {
        guard head > 0, head < self.head, let key = keys[Int(head) - 1] else { return false }
        return keys[Int(head)] == key
    }

    func text(_ position: UInt64) -> String {
        position >= 1 && position <= head ? String(decoding: events[Int(position) - 1], as: UTF8.self) : "(no event)"
    }

    /// What is wrong with the lines that were sent: each event in them is the one at its position, each receipt names
    /// an event of its request, and what was refused is nowhere.
    func faults(in lines: [SentLines.Line]) -> [String] {
        let keys = Set(keys.compactMap(\.self))
        return lines.compactMap { line in
            let tag = line.text.dropFirst().prefix { $0 != " " }
            let json = line.text.drop { $0 != "{" }
            if let position = line.position, position > head { return "past the end: \(line.text)" }
            switch line.text.first {
            case "=", ">":
                guard json.hasPrefix(#"{"position":"#), json.contains(#","stream":"#), let position = line.position
                else {
                    return nil
                }
                return json.utf8.elementsEqual(events[Int(position) - 1]) ? nil : "another event: \(line.text)"
            case "+" where tag.hasPrefix("@w"):
                guard let position = line.position else { return "no position: \(line.text)" }
                return text(position).text("key") == String(tag.dropFirst()) ? nil : "another write: \(line.text)"
            case "-" where tag.hasPrefix("@w"):
                return keys.contains(String(tag.dropFirst())) ? "refused and written: \(line.text)" : nil
            default: return nil
            }
        }
    }
}
