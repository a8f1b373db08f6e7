package import StoryCore
import StoryFold

/// The requests about erasures, and their ends.
package struct ErasureRequests {
    let world: World
    let identity: LogIdentity
    /// The failure of each write at a replica; nil where this store takes writes.
    let notLeader: Failure?
    /// The reason why writes are refused now; nil while they are accepted.
    let refusal: Failure?

    /// `ERASE`: appends `Erased` once its events are found; the shell answers when their bytes are gone.
    func erase(
        _ request: EraseRequest, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) {
        do throws(Failure) {
            try attempt(request, tag, from: &session, now, output)
        } catch {
            output.reply(.failed(error), tag: tag, restsOn: world.head)
        }
    }

    private func attempt(
        _ request: EraseRequest, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(Failure) {
        let erasing = EraseEvents(in: world, identity)
        if let known = try erasing.repeated(request) {
            session.wrote(known.position)
            return output.start(.erasure(known), at: known.position, tag: tag)
        }
        if let failure = notLeader ?? refusal { throw failure }
        guard let erasures = world.erasures else {
            throw Failure(.denied, "a store in memory erases nothing")
        }
        guard erasures.olderNodes.isEmpty else {
            let nodes = erasures.olderNodes.joined(separator: ", ")
            throw Failure(.denied, "these nodes cannot follow erased events: upgrade them first: \(nodes)")
        }
        let look: ErasureLook
        if let begun = output.look as? ErasureLook {
            look = begun
        } else {
            look = ErasureLook(try ErasureCollecting(request, in: world, identity))
        }
        guard let set = try Failure.reading(try look.set(in: world)) else {
            look.begin(through: output.durable)
            return output.handleAgain(after: look, tag: tag)
        }
        if let failure = erasing.refusal(of: request, taking: set) { throw failure }
        guard !erasures.isFull else { throw Failure(.busy, "as many erasures are under way as may be") }
        let new = try Failure.reading(try erasing.events(request, set))
        let first = world.head.next
        let receipt = Appending(to: world, by: session.author, now, output).append(new)
        // It is not in the log where that refused it, and the write is undone.
        guard let erased = try Failure.reading(try world.erased(at: first)) else {
            return output.receipt(receipt, tag: tag)
        }
        session.wrote(receipt.position)
        world.changes.erases(at: receipt.position)
        output.start(.erasure(erased), at: receipt.position, tag: tag)
    }

    /// `ERASE` with `dry=true`.
    func rehearse(_ request: EraseRequest, tag: Tag?, to output: any TurnOutput) {
        let answer = RehearseErasure(request, in: world, identity, durable: output.durable)
        output.answer(with: answer, tag: tag, restsOn: .zero)
    }

    /// `ERASURES`.
    func list(_ query: ErasuresQuery, tag: Tag?, to output: any TurnOutput) {
        output.answer(with: BrowseErasures(query, in: world, durable: output.durable), tag: tag, restsOn: .zero)
    }

    // MARK: The end

    /// Notes that the bytes of an erasure are gone: appends `ErasureDone`.
    ///
    /// - Throws: the error of reading the models.
    package func ended(
        _ number: UInt64, on media: ErasureMedia, by uid: UInt32, _ now: Instant, into output: any TurnOutput
    ) throws(StorageError) {
        let stream = StreamName(erasure: number)
        let events = [EventProposal(body: .erasure(.done(ErasureDone(media: media))), meta: nil)]
        let new = NewEvents(
            id: nil, stream: stream, head: try world.headToExtend(stream), events: events, key: nil)
        _ = Appending(to: world, by: uid, now, output).append(new)
    }

    /// Returns the position of the last event `Erased`; zero where there is none.
    ///
    /// - Throws: the error of reading the log or the models.
    package func last() throws(StorageError) -> Position {
        guard let category = try world.streams.number(of: ErasureEvent.category) else { return .zero }
        var (end, last) = (world.head, Position.zero)
        while last == .zero, end > .zero {
            var position: Position?
            try world.streams.scanCategory(category, from: Position(1), through: end, .descending) {
                position = $0
                return false
            }
            guard let position else { return .zero }
            try world.log.records(at: [position]) { record in
                if ErasureEvent.isOrder(record) { last = position }
                return false
            }
            end = position.previous
        }
        return last
    }

    /// The most events of erasures that one search for those without an end looks at.
    private static let mostSought = 256

    /// Finds erasures that have no end in the log and are not under way in this directory, as those of a copy are whose
    /// source had not ended them.
    ///
    /// - Parameters:
    ///   - from: the first position to look at.
    ///   - last: the last one.
    /// - Returns: some of them, and the position to go on from; nil where all were looked at.
    /// - Throws: the error of reading the log or the models.
    package func unended(
        from: Position, through last: Position
    ) throws(StorageError) -> (found: [ErasedRecord], next: Position?) {
        guard let category = try world.streams.number(of: ErasureEvent.category) else { return ([], nil) }
        var (positions, found) = ([Position](), [ErasedRecord]())
        try world.streams.scanCategory(category, from: from, through: last, .ascending) { position in
            positions.append(position)
            return positions.count < ErasureRequests.mostSought
        }
        for position in positions {
            guard let erased = try world.erased(at: position), found.last?.number != erased.number,
                world.erasures?.isUnderWay(erased.position) == false, try world.done(erased) == nil
            else { continue }
            found.append(erased)
        }
        return (found, positions.count < ErasureRequests.mostSought ? nil : positions.last?.next)
    }

    /// Returns the event `Erased` at a position; nil for another one.
    ///
    /// - Throws: the error of reading the log.
    package func erased(at position: Position) throws(StorageError) -> ErasedRecord? {
        try world.erased(at: position)
    }

    /// Returns the position of the event `ErasureDone` of an erasure; nil where there is none.
    ///
    /// - Throws: the error of reading the log or the models.
    package func end(of erased: ErasedRecord) throws(StorageError) -> Position? {
        try world.done(erased)?.receipt.position
    }

    /// Returns the answer to an erasure whose bytes are gone; nil while its end is not in the log.
    ///
    /// - Throws: the error of reading the log or the models.
    package func answer(to erased: ErasedRecord) throws(StorageError) -> (reply: Reply, restsOn: Position)? {
        guard let (receipt, media) = try world.end(of: erased) else { return nil }
        let members =
            [Member("id", .text("\(erased.number)"))] + receipt.members + erased.sums.members
            + [Member("media", .text(media.rawValue))]
        return (.done(.members(members)), receipt.position)
    }
}
