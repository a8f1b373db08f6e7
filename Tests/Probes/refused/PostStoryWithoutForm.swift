// refused: 'Checked<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func postUnchecked(_ event: StoryPosted) -> Checked<StoryPosted> { Checked(event, givenID: nil) }
