import StoryCore
import StoryLog
import StoryStorage
import StoryWire
import TestSupport

/// The log as it should be, and what it makes at each of its positions.
final class World {
    /// An event, and what is read out of its line.
    struct Logged {
        let event: Event
        let text: String
        let stream: String
        /// The number of the request that it is from.
        let request: Int

        /// Its tags, out of its line.
        var tags: [String] {
            guard let rest = text.firstRange(of: #""tags":["#).map({ text[$0.upperBound...] }) else { return [] }
            return rest.prefix { $0 != "]" }.split(separator: ",").map { String($0.dropFirst().dropLast()) }
        }
    }

    private(set) var events: [Logged] = []
    /// The events whose content is erased, by their positions: the position of the event that says so.
    private(set) var erasers: [Int: Int] = [:]
    /// What is committed, as far as was looked.
    private(set) var committed = 0
    /// True where the log could not be looked at any more: then it may have events that are not known here.
    private var isBehind = false
    private let decoder = PlainDecoder()
    /// What is the case at each position, as far as somebody asked.
    private var moments = [Moment()]
    /// The rows after an event, by its line.
    private var texts: [String: String] = [:]

    var head: Int { events.count }

    // MARK: What a write leads to

    /// What a write leads to at a position.
    func outcome(of write: Write, _ request: Int, at position: Int) -> Outcome {
        let outcome = moment(position).outcome(of: write, request)
        guard outcome == .written || outcome == .unchanged,
            write.unless.contains(where: { broken($0, at: position) != nil })
        else { return outcome }
        return .refused("conflict")
    }

    /// Whether a conflict names the first query of a write that does not hold at a position, and its first event.
    func explains(_ conflict: String, of write: Write, at position: Int) -> Bool {
        guard let number = conflict.number("unless") else { return true }
        let first = write.unless.indices.first { broken(write.unless[$0], at: position) != nil }
        guard let first, first == Int(number), let found = broken(write.unless[first], at: position) else {
            return false
        }
        return conflict.number("position") == UInt64(found) && conflict.text("stream") == events[found - 1].stream
    }

    /// The first event of a query after its position, up to another one; nil where there is none.
    private func broken(_ unless: Write.Unless, at position: Int) -> Int? {
        guard unless.after < position else { return nil }
        let index = events[unless.after..<position].firstIndex { logged in unless.items.contains { $0.has(logged) } }
        return index.map { $0 + 1 }
    }

    // MARK: What the log has

    /// Takes over what the log holds now behind what was committed at the last look.
    ///
    /// - Parameters:
    ///   - committed: the end of what is there for good.
    ///   - isFailing: whether the disk has failed, so that the log may be unreadable.
    func look(at log: any EventLog, committed: Position, isFailing: Bool) throws {
        do {
            try look(at: log, Int(committed.value))
        } catch let error as StorageError {
            guard isFailing else { throw error }
            isBehind = true
        }
    }

    /// A start finds other events behind what is committed: some were given up and are there all the same, others were handed
    /// to nobody.
    func onlyCommittedIsKept() {
        replace(after: committed, with: [])
        isBehind = true
    }

    private func look(at log: any EventLog, _ durable: Int) throws {
        let head = Int(log.head.value)
        guard durable >= committed else {
            throw Difference("the log's durable end went back from \(committed) to \(durable)")
        }
        let read = try read(log, from: committed + 1)
        guard committed + read.count == head else {
            throw Difference("the log ends at \(head), and \(committed + read.count) events are found")
        }
        replace(after: committed, with: read)
        committed = durable
    }

    /// Holds the log that a start found against what is known, and takes over where it ends.
    ///
    /// - Parameter promised: the last position that somebody was told of.
    func restart(with log: any EventLog, promised: Int) throws {
        let head = Int(log.head.value)
        guard head >= promised else {
            throw Difference("the log ends at \(head), and \(promised) was told to a client")
        }
        let known = min(head, self.head)
        guard isBehind || head <= self.head else {
            throw Difference("the log ends at \(head), and \(self.head) were ever appended")
        }
        let found = try read(log, from: 1)
        guard found.count == head else { throw Difference("the log ends at \(head) and has \(found.count) events") }
        let orders = found.reduce(into: [:]) { World.add(orderOf: $1, to: &$0) }
        for (index, logged) in found[..<known].enumerated() {
            let wanted = orders[index + 1].map(events[index].erased) ?? events[index].text
            guard logged.text != wanted else { continue }
            throw Difference("position \(index + 1) is now \(logged.text) and was \(wanted)")
        }
        replace(after: known, with: Array(found[known...]))
        (committed, isBehind) = (head, false)
    }

    /// Holds what a node has in its log for good against what is known.
    ///
    /// - Parameter start: the first position that was not held before.
    func check(_ log: any EventLog, from start: Int, through end: Int) throws {
        guard start <= end else { return }
        var position = start
        var difference: Difference?
        try log.scan(from: Position(UInt64(start)), through: Position(UInt64(end)), order: .ascending) { record in
            let text = World.line(of: record)
            if !isLine(text, of: events[position - 1], at: 0) {
                difference = Difference("position \(position) is \(text) here, and \(events[position - 1].text)")
            }
            position += 1
            return difference == nil
        }
        if let difference { throw difference }
        guard position == end + 1 else { throw Difference("the log has events up to \(position - 1) of \(end)") }
    }

    private func read(_ log: any EventLog, from start: Int) throws -> [Logged] {
        var found: [Logged] = []
        guard log.head.value >= UInt64(start) else { return found }
        try log.scan(from: Position(UInt64(start)), through: log.head, order: .ascending) { record in
            let event = decoder.decode(record)
            let text = World.line(of: record)
            let request = text.number("r").map { Int($0) } ?? 0
            found.append(Logged(event: event, text: text, stream: event.stream.description, request: request))
            return true
        }
        return found
    }

    private func replace(after position: Int, with read: [Logged]) {
        events.removeLast(events.count - position)
        events += read
        erasers = erasers.filter { $0.value <= position }
        for logged in read { World.add(orderOf: logged, to: &erasers) }
        if moments.count > position + 1 { moments.removeLast(moments.count - position - 1) }
    }

    // MARK: What that makes

    /// What is the case at a position.
    func moment(_ position: Int) -> Moment {
        while moments.count <= position {
            var next = moments[moments.count - 1]
            next.fold(events[next.position])
            moments.append(next)
        }
        return moments[position]
    }

    /// The row of a stream as it goes out on the wire, after the event at a position; nil where there is none.
    func text(_ kind: Kind, _ id: String, at position: Int) -> String? {
        let moment = moment(position)
        guard let row = moment.row(kind, id) else { return nil }
        let stream = kind.stream(row.id).description
        guard let last = moment.streams[stream]?.position else { return nil }
        if let text = texts[events[last - 1].text] { return text }
        let history = events[..<position].filter { $0.stream == stream }.map(\.event)
        guard let copy = RowCopy.folded(history) else { return nil }
        var bytes = ByteWriter()
        copy.withView { RowJSONEncoder.standard.append($0, to: &bytes) }
        let text = String(decoding: bytes.written, as: UTF8.self)
        texts[events[last - 1].text] = text
        return text
    }
}

/// Something is not as it should be.
struct Difference: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
