import StoryCore
import StoryModels

/// `POST` `EDIT` `LIKE` `UNLIKE` `SEE` `DELETE`: form → command → decision, in the order of refusals that SPEC §3 has:
/// not found or gone, invalid, exists, conflict.
enum WriteContent {
    static func attempt(_ write: DomainWrite, in world: World) -> WriteOutcome {
        if let id = write.id, let failure = missing(write.kind, id, in: world) { return .refused(failure) }
        switch write.command(in: ModelDirectory(store: world.store)) {
        case .failure(let failure): return .refused(failure)
        case .success(let command):
            let id = write.id ?? command.givenID ?? givenID(write.kind, in: world)
            return decide(command, write, id, in: world)
        }
    }

    /// Why the target of the write is not there; nil when it is.
    private static func missing(_ kind: Kind, _ id: Identifier, in world: World) -> Failure? {
        guard let head = StreamsModel.head(of: kind.stream(id), in: world.store) else {
            return .notFound("\(kind.name)/\(id)")
        }
        return Rows.row(kind, head.number, in: world.store) == nil ? .gone("\(kind.name)/\(id)") : nil
    }

    private static func givenID(_ kind: Kind, in world: World) -> Identifier {
        .given(at: world.head.next) { StreamsModel.number(of: kind.stream($0), in: world.store) != nil }
    }

    private static func decide(
        _ command: DomainCommand, _ write: DomainWrite, _ id: Identifier, in world: World
    ) -> WriteOutcome {
        let stream = write.kind.stream(id)
        switch command {
        case .user(let command):
            let (existence, head) = world.existence(UserProjection.self, stream)
            let state = UserState(
                existence: existence, emailIsTaken: isTaken(command, by: head?.number, in: world.store))
            return outcome(UserDecider.decide(command, state), EventBody.user, stream, id, head, write)
        case .story(let command):
            let (existence, head) = world.existence(StoryProjection.self, stream)
            let state = StoryState(existence: existence, isLiked: isLiked(command, head, in: world.store))
            return outcome(StoryDecider.decide(command, state), EventBody.story, stream, id, head, write)
        case .message(let command):
            let (existence, head) = world.existence(MessageProjection.self, stream)
            let decision = MessageDecider.decide(command, MessageState(existence: existence))
            return outcome(decision, EventBody.message, stream, id, head, write)
        case .photo(let command):
            let (existence, head) = world.existence(PhotoProjection.self, stream)
            let decision = PhotoDecider.decide(command, PhotoState(existence: existence))
            return outcome(decision, EventBody.photo, stream, id, head, write)
        }
    }

    private static func isTaken(_ command: UserCommand, by user: StreamNumber?, in store: any ModelStore) -> Bool {
        let email: Text? =
            switch command {
            case .signUp(let command): command.event.email
            case .revise(let command): command.event.email
            }
        guard let email, let owner = EmailsModel.owner(of: EmailAddress.folded(email.bytes), in: store) else {
            return false
        }
        return owner != user
    }

    private static func isLiked(
        _ command: StoryCommand, _ head: StreamsModel.Head?, in store: any ModelStore
    ) -> Bool {
        guard let head else { return false }
        switch command {
        case .like(let command), .unlike(let command):
            return LikesModel.isLiked(head.number, by: command.user, in: store)
        case .post, .revise, .delete: return false
        }
    }

    private static func outcome<H: Equatable & Sendable>(
        _ decision: Decision<H>, _ wrap: (H) -> EventBody, _ stream: StreamName, _ id: Identifier,
        _ head: StreamsModel.Head?, _ write: DomainWrite
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
