/// A valid command for a story.
package enum StoryCommand: Equatable, Sendable {
    case post(PostStory)
    case revise(ReviseStory)
    case like(LikeStory)
    case unlike(LikeStory)
    case delete
}

extension StoryCommand: KindCommand {
    static func made(by action: ContentAction, in directory: any Directory) -> Result<StoryCommand, Failure>? {
        switch action {
        case .post(let fields): PostStoryForm(fields).command(in: directory) { .post($0) }
        case .edit(let fields): ReviseStoryForm(fields).command(in: directory) { .revise($0) }
        case .like(let fields): LikeForm(fields).command(in: directory) { .like($0) }
        case .unlike(let fields): LikeForm(fields).command(in: directory) { .unlike($0) }
        case .delete: .success(.delete)
        case .see: nil
        }
    }

    var givenID: Identifier? {
        switch self {
        case .post(let command): command.id
        case .revise, .like, .unlike, .delete: nil
        }
    }

    var event: StoryEvent {
        switch self {
        case .post(let command): .posted(command.event)
        case .revise(let command): .revised(command.event)
        case .like(let command): .liked(by: command.user)
        case .unlike(let command): .unliked(by: command.user)
        case .delete: .deleted
        }
    }

    func decision(on subject: ContentSubject, in rows: any ContentRows) throws(StorageError) -> Decision<StoryEvent> {
        let existence = try rows.existence(of: subject) { StoryFields($0) }
        let state = StoryState(existence: existence, isLiked: try isLiked(subject.number, in: rows))
        return StoryDecider.decide(self, state)
    }

    /// Returns true when the user that the command names likes the story with this number.
    private func isLiked(_ story: StreamNumber?, in rows: any ContentRows) throws(StorageError) -> Bool {
        guard let story else { return false }
        switch self {
        case .like(let command), .unlike(let command):
            return try rows.contains(StorySchema.likes, number: story, command.user)
        case .post, .revise, .delete: return false
        }
    }
}
