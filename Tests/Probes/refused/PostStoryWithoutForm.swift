// refused: 'Command<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func postUnchecked(_ story: StoryPosted) -> Command<StoryEvent> { Command(.posted(story), givenID: nil) }
