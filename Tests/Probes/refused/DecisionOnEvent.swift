// refused: cannot convert value of type 'StoryEvent' to expected argument type 'Command<StoryEvent>'
import StoryCore

func decideUnchecked(_ event: StoryEvent) -> Decision { StoryDecider.decide(event, on: .none) }
