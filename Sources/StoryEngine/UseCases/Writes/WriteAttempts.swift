import StoryCore
import StoryFold

/// `APPEND`: the users' own events in the users' own streams, all of them or none.
enum AppendEvents {
    /// Returns the outcome of an append.
    ///
    /// - Throws: the error of the read.
    static func attempt(
        _ stream: StreamName, _ proposals: [EventProposal], _ options: WriteOptions, in world: World
    ) throws(StorageError) -> WriteOutcome {
        guard !proposals.isEmpty else {
            return .refused(.invalid("events", .empty, "there must be at least one event to append"))
        }
        let head = try world.headToExtend(stream)
        if let failure = Preconditions(options, of: stream, head).failure() { return .refused(failure) }
        return .appends(NewEvents(id: nil, stream: stream, head: head, events: proposals, key: options.key))
    }
}

/// `APPEND *`: the users' own events in several of their own streams, all of them or none.
enum AppendTogether {
    /// Returns the outcome of an append to several streams.
    ///
    /// - Throws: the error of the read.
    static func attempt(
        _ proposals: [StreamProposal], _ options: WriteOptions, in world: World
    ) throws(StorageError) -> WriteOutcome {
        guard !proposals.isEmpty else {
            return .refused(.invalid("events", .empty, "there must be at least one event to append"))
        }
        var targets: [JointEvents.Target] = []
        var versions: [Version] = []
        var indexes: [StreamName: Int] = [:]
        var aims: [Int] = []
        var preconditions = Preconditions()
        for proposal in proposals {
            let index = indexes[proposal.stream] ?? targets.count
            if index == targets.count {
                let head = try world.headToExtend(proposal.stream)
                indexes[proposal.stream] = index
                targets.append(JointEvents.Target(stream: proposal.stream, head: head))
                versions.append(head?.version ?? .zero)
            }
            if let expected = proposal.version {
                preconditions.expect(expected, of: proposal.stream, actual: versions[index])
            }
            versions[index] = versions[index].next
            aims.append(index)
        }
        if let failure = preconditions.failure() { return .refused(failure) }
        return .appendsTogether(
            JointEvents(targets: targets, events: proposals.map(\.event), aims: aims, key: options.key))
    }
}

/// `POST` `EDIT` `LIKE` `UNLIKE` `SEE` `DELETE`: form → command → decision, in the order of refusals of
/// docs/protocol.md (Writes): not found or gone, invalid, exists, conflict.
enum WriteContent {
    /// The content that a write is about: its ID, its stream and the stream's head; nil where there is no stream.
    private struct Subject {
        let id: Identifier
        let stream: StreamName
        let head: StreamHead?

        init(_ id: Identifier, _ kind: KindSchema, in world: World) throws(StorageError) {
            self.id = id
            stream = kind.stream(id)
            head = try world.headToExtend(stream)
        }
    }

    /// Returns the outcome of a write.
    ///
    /// - Parameter head: the last event of the log.
    /// - Throws: the error of the read.
    static func attempt(
        _ write: ContentWrite, after head: Position, in world: World
    ) throws(StorageError) -> WriteOutcome {
        let kind = world.schema(write.kind)
        if let id = write.id, let failure = try missing(kind, id, in: world) { return .refused(failure) }
        let directory = ModelDirectory(world)
        let command = write.command(of: kind, in: directory)
        if let failure = directory.failure { throw failure }
        switch command {
        case .failure(let failure): return .refused(failure)
        case .success(let command):
            guard let id = write.id ?? command.givenID else {
                return try decide(command, write, kind, given(kind, at: head.next, in: world), in: world)
            }
            return try decide(command, write, kind, Subject(id, kind, in: world), in: world)
        }
    }

    /// Returns the failure if the target of the write does not exist; nil if it does.
    private static func missing(_ kind: KindSchema, _ id: Identifier, in world: World) throws(StorageError) -> Failure?
    {
        guard try !world.has(kind.kind, id) else { return nil }
        let isNew = try world.streams.head(of: kind.stream(id), isProven: true) == nil
        return isNew ? .notFound(target(kind, id)) : .gone(target(kind, id))
    }

    /// Returns the subject that the store gives an ID to.
    private static func given(
        _ kind: KindSchema, at position: Position, in world: World
    ) throws(StorageError) -> Subject {
        var subject: Subject?
        var failure: StorageError?
        let id = Identifier.given(at: position) { id in
            do throws(StorageError) {
                let tried = try Subject(id, kind, in: world)
                subject = tried
                return tried.head != nil
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        // An ID is tried before it is given, unless every one is taken.
        guard let subject else { return try Subject(id, kind, in: world) }
        return subject
    }

    private static func decide(
        _ command: ContentCommand, _ write: ContentWrite, _ kind: KindSchema, _ found: Subject, in world: World
    ) throws(StorageError) -> WriteOutcome {
        let (id, stream, head) = (found.id, found.stream, found.head)
        let subject = ContentSubject(kind: kind, id: id, number: head?.number)
        switch try command.decision(on: subject, in: world.provenRows) {
        case .refused(let refusal): return .refused(refusal.failure(of: target(kind, id)))
        case .unchanged:
            guard let head else { return .refused(.notFound(target(kind, id))) }
            if let failure = Preconditions(write.options, of: stream, head).failure() { return .refused(failure) }
            return .unchanged(id: id, stream, head)
        case .append:
            if let failure = Preconditions(write.options, of: stream, head).failure() { return .refused(failure) }
            let events = [EventProposal(body: command.event, meta: write.options.meta)]
            return .appends(NewEvents(id: id, stream: stream, head: head, events: events, key: write.options.key))
        }
    }

    /// Returns an ID as clients see it: `stories/12345`.
    private static func target(_ kind: KindSchema, _ id: Identifier) -> String { "\(kind.name)/\(id)" }
}
