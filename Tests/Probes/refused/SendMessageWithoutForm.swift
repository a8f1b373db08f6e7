// refused: 'Command<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func sendUnchecked(_ message: MessageSent) -> Command<MessageEvent> { Command(.sent(message), givenID: nil) }
