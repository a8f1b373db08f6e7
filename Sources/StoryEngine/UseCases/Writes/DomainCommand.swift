import StoryCore

/// A valid intent for one of the four kinds: what a request became by way of its form.
enum DomainCommand: Equatable {
    case user(UserCommand)
    case story(StoryCommand)
    case message(MessageCommand)
    case photo(PhotoCommand)

    /// The ID that the client chose for something new.
    var givenID: Identifier? {
        switch self {
        case .user(.signUp(let command)): command.id
        case .story(.post(let command)): command.id
        case .message(.send(let command)): command.id
        case .photo(.add(let command)): command.id
        case .user(.revise), .story(.revise), .story(.like), .story(.unlike), .story(.delete), .message(.see),
            .message(.delete), .photo(.revise), .photo(.delete):
            nil
        }
    }

    /// The event that carrying it out makes.
    var event: EventBody {
        switch self {
        case .user(.signUp(let command)): .user(.signedUp(command.event))
        case .user(.revise(let command)): .user(.revised(command.event))
        case .story(.post(let command)): .story(.posted(command.event))
        case .story(.revise(let command)): .story(.revised(command.event))
        case .story(.like(let command)): .story(.liked(by: command.user))
        case .story(.unlike(let command)): .story(.unliked(by: command.user))
        case .story(.delete): .story(.deleted)
        case .message(.send(let command)): .message(.sent(command.event))
        case .message(.see): .message(.seen)
        case .message(.delete): .message(.deleted)
        case .photo(.add(let command)): .photo(.added(command.event))
        case .photo(.revise(let command)): .photo(.exposureRevised(command.event))
        case .photo(.delete): .photo(.deleted)
        }
    }
}

/// What a write is aimed at and made of, read off the request.
struct DomainWrite {
    let kind: Kind
    /// Nil for something new.
    let id: Identifier?
    let options: WriteOptions
    private let make: (any Directory) -> Result<DomainCommand, Failure>

    /// Nil when the request is no write of the four kinds.
    init?(_ action: RequestAction) {
        switch action {
        case .post(let kind, let fields, let options):
            self.init(kind, nil, options) { Self.post(kind, fields, $0) }
        case .edit(let kind, let id, let fields, let options):
            self.init(kind, id, options) { Self.edit(kind, fields, $0) }
        case .like(let id, let fields, let options):
            self.init(.stories, id, options) { Self.built(LikeForm(fields), $0) { .story(.like($0)) } }
        case .unlike(let id, let fields, let options):
            self.init(.stories, id, options) { Self.built(LikeForm(fields), $0) { .story(.unlike($0)) } }
        case .see(let id, let options):
            self.init(.messages, id, options) { _ in .success(.message(.see)) }
        case .delete(let kind, let id, let options):
            self.init(kind, id, options) { _ in Self.delete(kind) }
        case .append, .appendTogether, .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping,
            .help, .stats, .checkpoint, .verify, .backup, .quit:
            return nil
        }
    }

    private init(
        _ kind: Kind, _ id: Identifier?, _ options: WriteOptions,
        _ make: @escaping (any Directory) -> Result<DomainCommand, Failure>
    ) {
        self.kind = kind
        self.id = id
        self.options = options
        self.make = make
    }

    /// The command, or every wrong field of its form.
    func command(in directory: any Directory) -> Result<DomainCommand, Failure> { make(directory) }

    private static func post(
        _ kind: Kind, _ fields: FormFields, _ directory: any Directory
    ) -> Result<DomainCommand, Failure> {
        switch kind {
        case .users: built(SignUpForm(fields), directory) { .user(.signUp($0)) }
        case .stories: built(PostStoryForm(fields), directory) { .story(.post($0)) }
        case .messages: built(SendMessageForm(fields), directory) { .message(.send($0)) }
        case .photos: built(AddPhotoForm(fields), directory) { .photo(.add($0)) }
        }
    }

    private static func edit(
        _ kind: Kind, _ fields: FormFields, _ directory: any Directory
    ) -> Result<DomainCommand, Failure> {
        switch kind {
        case .users: built(ReviseUserForm(fields), directory) { .user(.revise($0)) }
        case .stories: built(ReviseStoryForm(fields), directory) { .story(.revise($0)) }
        case .photos: built(RevisePhotoForm(fields), directory) { .photo(.revise($0)) }
        case .messages: .failure(Failure(.unknown, "messages are not edited", .name("messages", nearest: nil)))
        }
    }

    private static func delete(_ kind: Kind) -> Result<DomainCommand, Failure> {
        switch kind {
        case .stories: .success(.story(.delete))
        case .messages: .success(.message(.delete))
        case .photos: .success(.photo(.delete))
        case .users: .failure(Failure(.unknown, "users are not deleted", .name("users", nearest: nil)))
        }
    }

    private static func built<F: Form>(
        _ form: F, _ directory: any Directory, _ wrap: (F.Command) -> DomainCommand
    ) -> Result<DomainCommand, Failure> {
        form.build(in: directory).map(wrap).mapError(\.failure)
    }
}
