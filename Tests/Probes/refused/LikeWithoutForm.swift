// refused: 'Command<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func likeUnchecked(_ user: Identifier) -> Command<StoryEvent> { Command(.liked(by: user), givenID: nil) }
