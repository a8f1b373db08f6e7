/// The decider for a story's commands.
package enum StoryDecider {
    /// Returns the decision on a command in a state.
    ///
    /// - Parameter isLiked: true when the user that the command names likes the story now.
    package static func decide(
        _ command: Command<StoryEvent>, on story: Existence<StoryFields>, isLiked: Bool = false
    ) -> Decision {
        switch command.event {
        case .posted: story.creation
        case .revised(let event):
            story.change { row in
                (event.title ?? row.title) != row.title || (event.message ?? row.message) != row.message
            }
        case .liked: story.change { _ in !isLiked }
        case .unliked: story.change { _ in isLiked }
        case .deleted: story.change { _ in true }
        }
    }

    /// Returns the decision on a command in the current state.
    ///
    /// - Throws: the error of reading a row or the likes.
    static func decide(
        _ command: Command<StoryEvent>, on subject: ContentSubject, in rows: any ContentRows
    ) throws(StorageError) -> Decision {
        let story = try rows.existence(of: subject) { StoryFields($0) }
        var isLiked = false
        switch command.event {
        case .liked(by: let user), .unliked(by: let user):
            if let number = subject.number { isLiked = try rows.contains(StorySchema.likes, number: number, user) }
        case .posted, .revised, .deleted: break
        }
        return decide(command, on: story, isLiked: isLiked)
    }
}
