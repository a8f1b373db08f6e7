import StoryCore
import StoryFold

/// `ERASE`: finds the events, and appends `Erased`, from which on nobody reads their content.
struct EraseEvents {
    /// The most ranges of positions of one event, which is then shorter than 512 KiB.
    private static let mostRanges = 16_384
    /// The most rows of one event, whose names are then shorter than 512 KiB.
    private static let mostRows = 3_900

    private let world: World
    private let identity: LogIdentity

    init(in world: World, _ identity: LogIdentity) { (self.world, self.identity) = (world, identity) }

    /// Returns the refusal of an erasure that takes these events; nil where there is none.
    func refusal(of request: EraseRequest, taking set: ErasureSet) -> Failure? {
        let most = EraseRequest.mostEvents
        guard !set.isTooLarge else {
            let advice =
                if case .events = request.target { "part it with from= and to=" } else { "erase rows one by one" }
            return Failure(.tooLarge, "an erasure takes at most \(most) events: \(advice)", .limit(most))
        }
        guard rows(of: set).count <= EraseRequest.mostRows else {
            let message = "an erasure takes at most \(EraseRequest.mostRows) rows: erase some of them one by one"
            return Failure(.tooLarge, message, .limit(EraseRequest.mostRows))
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
        var rows = rows(of: set)[...]
        // Each event has a part of the positions, and there are as many as the rows need.
        let parts = (rows.count + EraseEvents.mostRows - 1) / EraseEvents.mostRows
        let most = Int(clamping: set.sums.events) / max(parts, 1) + 1
        var events: [EventProposal] = []
        for positions in set.positions.parted(mostRanges: EraseEvents.mostRanges, mostEvents: most) {
            let erased = Erased(
                target: request.target.description, scope: request.target.scope, labels: request.labels,
                reason: request.reason ?? Text(""), log: identity.id, sums: set.sums, categories: set.categories,
                positions: positions, rows: Array(rows.prefix(EraseEvents.mostRows)))
            events.append(EventProposal(body: .erasure(.erased(erased)), meta: nil))
            rows = rows.dropFirst(EraseEvents.mostRows)
        }
        let head = try world.headToExtend(stream)
        return NewEvents(id: nil, stream: stream, head: head, events: events, key: request.key)
    }

    /// The streams of a set that have rows.
    private func rows(of set: ErasureSet) -> [StreamName] {
        set.streams.map(\.name).filter { name in
            name.spelling.withUnsafeBytes { world.catalogue.kind(stream: $0) } != nil
        }
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
        guard let found, found.target == "\(request.target)", found.scope == request.target.scope,
            found.labels == request.labels, found.reason == request.reason?.description,
            try Failure.reading(try takes(request.target, found))
        else { throw Idempotency.reused(key, entry.last) }
        return found
    }

    /// Returns true where the selection of a request has the first and the last event that were erased; no more of it is
    /// kept. Where their labels went, the tags cannot be compared.
    private func takes(_ target: EraseTarget, _ erased: ErasedRecord) throws(StorageError) -> Bool {
        guard case .events(let query) = target, erased.labels == .keep else { return true }
        let selection = query.selection
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

extension [ClosedRange<Position>] {
    /// Returns the ranges in parts of up to `mostRanges` ranges and `mostEvents` events; one is cut where a part ends in it.
    fileprivate func parted(mostRanges: Int, mostEvents: Int) -> [[ClosedRange<Position>]] {
        var parts: [[ClosedRange<Position>]] = []
        var left = 0
        for range in self {
            var first = range.lowerBound
            while first <= range.upperBound {
                if left == 0 || parts[parts.count - 1].count == mostRanges {
                    parts.append([])
                    left = mostEvents
                }
                let last = Swift.min(range.upperBound, Position(first.value + UInt64(left) - 1))
                parts[parts.count - 1].append(first...last)
                left -= Int(last.value - first.value) + 1
                first = last.next
            }
        }
        return parts
    }
}
