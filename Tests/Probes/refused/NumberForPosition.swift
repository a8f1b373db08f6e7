// refused: cannot convert value of type 'UInt64' to expected argument type 'Position'
import StoryCore

func moment(_ number: UInt64) -> Moment { .position(number) }
