import StoryCore

func next(_ position: Position, _ version: Version) -> (Position, Version) { (position.next, version.next) }
func stream(_ id: Identifier) -> StreamName { Kind.stories.stream(id) }
