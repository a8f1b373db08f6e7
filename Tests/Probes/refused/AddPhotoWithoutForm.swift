// refused: 'AddPhoto' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func addUnchecked(_ event: PhotoAdded) -> AddPhoto { AddPhoto(id: nil, event: event) }
