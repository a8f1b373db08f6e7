import StoryCore
import StoryModels

/// `POST` `EDIT` `LIKE` `UNLIKE` `SEE` `DELETE`: form → command → decision, in the order of refusals that SPEC §3 has:
/// not found or gone, invalid, exists, conflict.
enum WriteContent {
    /// - Throws: what reading failed with.
    static func attempt(_ write: DomainWrite, in world: World) throws(StorageError) -> WriteOutcome {
        if let id = write.id, let failure = try missing(write.kind, id, in: world) { return .refused(failure) }
        let directory = ModelDirectory(world.models)
        let command = write.command(in: directory)
        if let failure = directory.failure { throw failure }
        switch command {
        case .failure(let failure): return .refused(failure)
        case .success(let command):
            if let id = write.id ?? command.givenID { return try decide(command, write, id, in: world) }
            return try decide(command, write, givenID(write.kind, in: world), in: world)
        }
    }

    /// Why the target of the write is not there; nil when it is.
    private static func missing(_ kind: Kind, _ id: Identifier, in world: World) throws(StorageError) -> Failure? {
        guard try !world.models.has(kind.schema, id) else { return nil }
        let target = "\(kind.name)/\(id)"
        return try world.models.streams.head(of: kind.stream(id)) == nil ? .notFound(target) : .gone(target)
    }

    private static func givenID(_ kind: Kind, in world: World) throws(StorageError) -> Identifier {
        var failure: StorageError?
        let id = Identifier.given(at: world.head.next) { id in
            do throws(StorageError) {
                return try world.models.streams.head(of: kind.stream(id)) != nil
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        return id
    }

    private static func decide(
        _ command: DomainCommand, _ write: DomainWrite, _ id: Identifier, in world: World
    ) throws(StorageError) -> WriteOutcome {
        let (kind, stream) = (write.kind.schema, write.kind.stream(id))
        switch command {
        case .user(let command):
            let (existence, head) = try world.existence(kind, stream) { UserFields($0) }
            let state = UserState(
                existence: existence, emailIsTaken: try isTaken(command, by: head?.number, kind, in: world.models))
            return outcome(UserDecider.decide(command, state), EventBody.user, stream, id, head, write)
        case .story(let command):
            let (existence, head) = try world.existence(kind, stream) { StoryFields($0) }
            let state = StoryState(existence: existence, isLiked: try isLiked(command, head, in: world.models))
            return outcome(StoryDecider.decide(command, state), EventBody.story, stream, id, head, write)
        case .message(let command):
            let (existence, head) = try world.existence(kind, stream) { MessageFields($0) }
            let decision = MessageDecider.decide(command, MessageState(existence: existence))
            return outcome(decision, EventBody.message, stream, id, head, write)
        case .photo(let command):
            let (existence, head) = try world.existence(kind, stream) { PhotoFields($0) }
            let decision = PhotoDecider.decide(command, PhotoState(existence: existence))
            return outcome(decision, EventBody.photo, stream, id, head, write)
        }
    }

    private static func isTaken(
        _ command: UserCommand, by user: StreamNumber?, _ kind: KindSchema, in models: ReadModels
    ) throws(StorageError) -> Bool {
        let email: Text? =
            switch command {
            case .signUp(let command): command.event.email
            case .revise(let command): command.event.email
            }
        guard let email else { return false }
        var owner: StreamNumber?
        try models.row(kind, folded: EmailAddress.folded(email.bytes)) { owner = StreamNumber($0.number) }
        return owner != nil && owner != user
    }

    private static func isLiked(
        _ command: StoryCommand, _ head: StreamHead?, in models: ReadModels
    ) throws(StorageError) -> Bool {
        guard let head else { return false }
        switch command {
        case .like(let command), .unlike(let command):
            return try models.contains(StoryFields.likes, number: head.number, command.user)
        case .post, .revise, .delete: return false
        }
    }

    private static func outcome<H: Equatable & Sendable>(
        _ decision: Decision<H>, _ wrap: (H) -> EventBody, _ stream: StreamName, _ id: Identifier,
        _ head: StreamHead?, _ write: DomainWrite
    ) -> WriteOutcome {
        if case .refused(let refusal) = decision { return .refused(failure(refusal, "\(write.kind.name)/\(id)")) }
        let actual = head?.version ?? .zero
        if let expected = write.options.version, expected != actual {
            return .refused(.conflict(stream, expected: expected, actual: actual))
        }
        switch decision {
        case .event(let happening):
            let events = [EventProposal(body: wrap(happening), meta: write.options.meta)]
            return .happened(Happening(id: id, stream: stream, head: head, events: events, key: write.options.key))
        case .unchanged:
            return head.map { .unchanged(id: id, stream, $0) } ?? .refused(.notFound("\(write.kind.name)/\(id)"))
        case .refused(let refusal): return .refused(failure(refusal, "\(write.kind.name)/\(id)"))
        }
    }

    private static func failure(_ refusal: Refusal, _ target: String) -> Failure {
        switch refusal {
        case .notFound: .notFound(target)
        case .gone: .gone(target)
        case .idTaken: Failure(.exists, "\(target) exists or did: an ID is used once", .field("id"))
        case .emailTaken(let email): Failure(.exists, "another user has the address \(email)", .field("email"))
        }
    }
}
