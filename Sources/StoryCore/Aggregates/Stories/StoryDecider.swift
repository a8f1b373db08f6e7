package enum StoryCommand: Equatable, Sendable {
    case post(PostStory)
    case revise(ReviseStory)
    case like(LikeStory)
    case unlike(LikeStory)
    case delete
}

/// What a decision about a story rests on.
package struct StoryState: Equatable, Sendable {
    package let existence: Existence<StoryRow>
    /// True when the user whom the command names likes the story now.
    package let isLiked: Bool

    package init(existence: Existence<StoryRow>, isLiked: Bool = false) {
        self.existence = existence
        self.isLiked = isLiked
    }
}

package enum StoryDecider {
    package static func decide(_ command: StoryCommand, _ state: StoryState) -> Decision<StoryEvent> {
        if case .post(let command) = command {
            return state.existence == .none ? .event(.posted(command.event)) : .refused(.idTaken)
        }
        guard let row = state.existence.row else { return .refused(state.existence.refusal ?? .notFound) }
        switch command {
        case .post: return .refused(.idTaken)
        case .revise(let command):
            let event = command.event
            let isSame = (event.title ?? row.title) == row.title && (event.message ?? row.message) == row.message
            return isSame ? .unchanged : .event(.revised(event))
        case .like(let command): return state.isLiked ? .unchanged : .event(.liked(by: command.user))
        case .unlike(let command): return state.isLiked ? .event(.unliked(by: command.user)) : .unchanged
        case .delete: return .event(.deleted)
        }
    }
}

package enum StoryFold {
    /// The row after an event, nil once it is deleted; an event that cannot follow leaves things as they are.
    @_specialize(where E == Event)
    @_specialize(where E == LentEvent)
    package static func fold<E: Occurrence>(
        _ happening: StoryEventOf<E.Held>, of event: E, into row: StoryRowOf<E.Held>?
    ) -> StoryRowOf<E.Held>? {
        if case .posted(let posted) = happening {
            guard event.version == Version(1) else { return row }
            return StoryRowOf(
                id: event.id, number: event.streamNumber, version: event.version, position: event.position,
                title: posted.title, message: posted.message, sender: posted.sender, recipient: posted.recipient,
                date: posted.date ?? event.time, likes: 0)
        }
        guard var row else { return nil }
        row.version = event.version
        row.position = event.position
        switch happening {
        case .posted: break
        case .revised(let revised):
            row.title = revised.title ?? row.title
            row.message = revised.message ?? row.message
        case .liked: row.likes += 1
        case .unliked: row.likes -= min(row.likes, 1)
        case .deleted: return nil
        }
        return row
    }
}
