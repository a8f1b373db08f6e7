// refused: 'Command<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func addUnchecked(_ photo: PhotoAdded) -> Command<PhotoEvent> { Command(.added(photo), givenID: nil) }
