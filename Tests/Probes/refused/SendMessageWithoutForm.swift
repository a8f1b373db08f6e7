// refused: 'Checked<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func sendUnchecked(_ event: MessageSent) -> Checked<MessageSent> { Checked(event, givenID: nil) }
