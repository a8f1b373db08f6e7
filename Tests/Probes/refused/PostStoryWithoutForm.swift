// refused: 'PostStory' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func postUnchecked(_ event: StoryPosted) -> PostStory { PostStory(id: nil, event: event) }
