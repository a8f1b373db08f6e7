// refused: cannot convert value of type 'Identifier' to expected argument type 'StreamName'
import StoryCore

func summary(_ id: Identifier) -> StreamSummary { StreamSummary(name: id, version: .zero, position: .zero) }
