import StoryCore
import StoryFold

/// Where a version is wanted, a version is given; and so on.
func next(_ head: StreamHead) -> Version { head.version.next }
func stream(of id: Identifier) -> StreamName { Catalogue.standard[.stories].stream(id) }
func following(_ position: Position) -> Position { position.next }
