/// The state that a decision about a story depends on.
package struct StoryState: Equatable, Sendable {
    /// The state of the story's ID.
    package let existence: Existence<StoryFields>
    /// True when the user that the command names likes the story now.
    package let isLiked: Bool

    /// Creates a state.
    package init(existence: Existence<StoryFields>, isLiked: Bool = false) {
        self.existence = existence
        self.isLiked = isLiked
    }
}

/// The decider for a story's commands.
package enum StoryDecider {
    /// Returns the decision on a command in a state.
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
