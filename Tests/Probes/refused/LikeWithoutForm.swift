// refused: initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func likeUnchecked(_ user: Identifier) -> LikeStory { LikeStory(user: user) }
