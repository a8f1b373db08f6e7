import StoryCore
import StoryFold

/// `APPEND`: the users' own events in the users' own streams, all of them or none.
enum AppendEvents {
    /// Returns the outcome of an append.
    ///
    /// - Parameter preconditions: those that the request names; nil where it names none.
    /// - Throws: the error of the read.
    static func attempt(
        _ stream: StreamName, _ proposals: [EventProposal], key: RequestKey?, under preconditions: Preconditions?,
        in world: World
    ) throws(StorageError) -> WriteOutcome {
        guard !proposals.isEmpty else {
            return .refused(.invalid("events", .empty, "there must be at least one event to append"))
        }
        if let failure = preconditions?.invalid() { return .refused(failure) }
        let head = try world.headToExtend(stream)
        switch try preconditions?.verdict(of: stream, head) ?? .hold {
        case .refused(let failure): return .refused(failure)
        case .undecided(let look): return .undecided(look)
        case .hold: break
        }
        return .appends(NewEvents(id: nil, stream: stream, head: head, events: proposals, key: key))
    }
}

/// `APPEND *`: the users' own events in several of their own streams, all of them or none; and checks of versions.
enum AppendTogether {
    /// A stream that the request names.
    private struct NamedStream {
        let head: StreamHead?
        /// The version after the events ahead in the request.
        var version: Version
        /// The index among the streams that are appended to; nil while it is only checked.
        var target: Int?

        init(head: StreamHead?) { (self.head, version) = (head, head?.version ?? .zero) }
    }

    /// Returns the outcome of an append to several streams.
    ///
    /// - Throws: the error of the read.
    static func attempt(
        _ proposals: [StreamProposal], key: RequestKey?, under given: Preconditions, in world: World
    ) throws(StorageError) -> WriteOutcome {
        guard proposals.contains(where: { $0.event != nil }) else {
            return .refused(.invalid("events", .empty, "there must be at least one event to append"))
        }
        if let failure = given.invalid() { return .refused(failure) }
        var targets: [JointEvents.Target] = []
        var named: [StreamName: NamedStream] = [:]
        var aims: [Int] = []
        var events: [EventProposal] = []
        var preconditions = given
        for proposal in proposals {
            var stream: NamedStream
            if let known = named[proposal.stream] {
                stream = known
            } else {
                stream = NamedStream(head: try world.headToExtend(proposal.stream))
            }
            if let expected = proposal.version {
                preconditions.expect(expected, of: proposal.stream, actual: stream.version)
            }
            if let event = proposal.event {
                let target = stream.target ?? targets.count
                if target == targets.count {
                    targets.append(JointEvents.Target(stream: proposal.stream, head: stream.head))
                }
                (stream.target, stream.version) = (target, stream.version.next)
                aims.append(target)
                events.append(event)
            }
            named[proposal.stream] = stream
        }
        switch try preconditions.verdict() {
        case .refused(let failure): return .refused(failure)
        case .undecided(let look): return .undecided(look)
        case .hold: break
        }
        return .appendsTogether(JointEvents(targets: targets, events: events, aims: aims, key: key))
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
    /// - Parameters:
    ///   - preconditions: those that the request names; nil where it names none.
    ///   - head: the last event of the log.
    /// - Throws: the error of the read.
    static func attempt(
        _ write: ContentWrite, under preconditions: Preconditions?, after head: Position, in world: World
    ) throws(StorageError) -> WriteOutcome {
        let kind = world.schema(write.kind)
        if let id = write.id, let failure = try missing(kind, id, in: world) { return .refused(failure) }
        let directory = ModelDirectory(world)
        let command = write.command(of: kind, in: directory)
        if let failure = directory.failure { throw failure }
        switch command {
        case .failure(let failure): return .refused(failure)
        case .success(let command):
            if let failure = preconditions?.invalid() { return .refused(failure) }
            guard let id = write.id ?? command.givenID else {
                let given = try given(kind, at: head.next, in: world)
                return try decide(command, write.options, under: preconditions, kind, given, in: world)
            }
            let subject = try Subject(id, kind, in: world)
            return try decide(command, write.options, under: preconditions, kind, subject, in: world)
        }
    }

    /// Returns the failure if the target of the write does not exist; nil if it does.
    private static func missing(_ kind: KindSchema, _ id: Identifier, in world: World) throws(StorageError) -> Failure?
    {
        guard try !world.has(kind.kind, id) else { return nil }
        guard let head = try world.streams.head(of: kind.stream(id), isProven: true) else {
            return .notFound(target(kind, id))
        }
        return try world.gone(target(kind, id), head)
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
        _ command: ContentCommand, _ options: WriteOptions, under preconditions: Preconditions?, _ kind: KindSchema,
        _ found: Subject, in world: World
    ) throws(StorageError) -> WriteOutcome {
        let (id, stream, head) = (found.id, found.stream, found.head)
        let subject = ContentSubject(kind: kind, id: id, number: head?.number)
        let decision = try command.decision(on: subject, in: world.provenRows)
        if case .refused(let refusal) = decision { return .refused(refusal.failure(of: target(kind, id))) }
        if case .unchanged = decision, head == nil { return .refused(.notFound(target(kind, id))) }
        switch try preconditions?.verdict(of: stream, head) ?? .hold {
        case .refused(let failure): return .refused(failure)
        case .undecided(let look): return .undecided(look)
        case .hold: break
        }
        if case .unchanged = decision, let head { return .unchanged(id: id, stream, head) }
        let events = [EventProposal(body: command.event, meta: options.meta)]
        return .appends(NewEvents(id: id, stream: stream, head: head, events: events, key: options.key))
    }

    /// Returns an ID as clients see it: `stories/12345`.
    private static func target(_ kind: KindSchema, _ id: Identifier) -> String { "\(kind.name)/\(id)" }
}
