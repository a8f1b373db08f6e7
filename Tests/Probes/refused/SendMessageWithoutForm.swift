// refused: 'SendMessage' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func sendUnchecked(_ event: MessageSent) -> SendMessage { SendMessage(id: nil, event: event) }
