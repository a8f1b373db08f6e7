// refused: cannot convert value of type 'Position' to expected argument type 'Version'
import StoryCore

func options(_ position: Position) -> WriteOptions { WriteOptions(version: position) }
