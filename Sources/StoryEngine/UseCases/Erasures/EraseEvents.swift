package import StoryCore
import StoryFold

/// The erasures that are under way in the store's directory, as requests see them.
package protocol ErasureStates: AnyObject {
    /// True while as many erasures are under way as may be.
    var isFull: Bool { get }
    /// Returns true while an erasure is carried out, by the position of its event `Erased`.
    func isUnderWay(_ eraser: Position) -> Bool
}

/// `ERASE`: finds the events, and appends `Erased`, from which on nobody reads their content.
struct EraseEvents {
    /// The most ranges of positions of one event, which is then shorter than 512 KiB.
    private static let mostRanges = 16_384

    private let world: World
    private let identity: LogIdentity

    init(in world: World, _ identity: LogIdentity) { (self.world, self.identity) = (world, identity) }

    /// Returns the refusal of an erasure that takes these events; nil where there is none.
    static func refusal(of request: EraseRequest, taking set: ErasureSet) -> Failure? {
        let most = EraseRequest.mostEvents
        guard !set.isTooLarge else {
            return Failure(
                .tooLarge, "an erasure takes at most \(most) events: part it with from= and to=", .limit(most))
        }
        guard set.sums.events > 0 else {
            guard let erased = set.erased else { return Failure(.notFound, "no event is taken") }
            return Failure(.gone, "all of these events are erased already", .erased(erased))
        }
        guard let expected = request.expected, expected != set.sums.events else { return nil }
        let message = "\(set.sums.events) events are taken, not \(expected)"
        return Failure(.conflict, message, .counts(expected: expected, actual: set.sums.events))
    }

    /// Returns the events to append: those of the erasure's stream, which is new.
    ///
    /// - Throws: the error of reading the models.
    func events(_ request: EraseRequest, _ set: ErasureSet) throws(StorageError) -> NewEvents {
        let stream = StreamName(erasure: try lastNumber() + 1)
        var events: [EventProposal] = []
        var rest = set.positions[...]
        while !rest.isEmpty {
            let erased = Erased(
                target: request.target, reason: request.reason ?? Text(""), log: identity.id, sums: set.sums,
                categories: set.categories, positions: Array(rest.prefix(EraseEvents.mostRanges)))
            events.append(EventProposal(body: .erasure(.erased(erased)), meta: nil))
            rest = rest.dropFirst(EraseEvents.mostRanges)
        }
        let head = try world.headToExtend(stream)
        return NewEvents(id: nil, stream: stream, head: head, events: events, key: request.key)
    }

    /// Returns the number of the last erasure; 0 where there is none.
    private func lastNumber() throws(StorageError) -> UInt64 {
        guard let category = try world.provenStreams.number(of: ErasureEvent.category) else { return 0 }
        var last: Position?
        try world.provenStreams.scanCategory(category, from: Position(1), through: world.head, .descending) {
            last = $0
            return false
        }
        var number: UInt64?
        try world.log.records(at: last.map { [$0] } ?? []) { record in
            number = ErasureEvent.number(ofStream: record.streamName)
            return false
        }
        guard let number else { throw .corrupt("an erasure has no number", at: last) }
        return number
    }

    /// Returns the event `Erased` that a key made; nil for a new key.
    ///
    /// - Throws: `keyReused` for the key of another request; the error of reading the models or the log.
    func repeated(_ request: EraseRequest) throws(Failure) -> ErasedRecord? {
        guard let key = request.key, let entry = try Failure.reading(try world.keys.provenEntry(of: key)) else {
            return nil
        }
        let found = try Failure.reading(try world.erased(at: entry.first))
        guard let found, found.target == request.target, found.reason == request.reason?.description,
            try Failure.reading(try takes(request.query.selection, found))
        else { throw Idempotency.reused(key, entry.last) }
        return found
    }

    /// Returns true where a selection has the first and the last event that were erased; no more of the request is kept.
    private func takes(_ selection: EventSelection, _ erased: ErasedRecord) throws(StorageError) -> Bool {
        var isTaken = true
        try world.log.records(at: [erased.first, erased.last]) { record in
            isTaken = isTaken && selection.matches(record)
            return isTaken
        }
        return isTaken
    }
}

extension World {
    /// Returns the event `Erased` at a position; nil for another one.
    ///
    /// - Throws: the error of reading the log.
    func erased(at position: Position) throws(StorageError) -> ErasedRecord? {
        var found: ErasedRecord?
        try log.records(at: [position]) { record in
            found = ErasedRecord(record, json)
            return false
        }
        return found
    }
}
