// refused: 'Checked<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func addUnchecked(_ event: PhotoAdded) -> Checked<PhotoAdded> { Checked(event, givenID: nil) }
