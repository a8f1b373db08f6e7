// refused: cannot convert value of type 'Identifier' to expected argument type 'StreamName'
import StoryCore

func source(_ id: Identifier) -> EventSelection.Source { .stream(id) }
