// refused: cannot convert value of type 'Identifier' to expected argument type 'StreamName'
import StoryCore
import StoryModels

func number(_ id: Identifier, _ store: any ModelStore) -> StreamNumber? { StreamsModel.number(of: id, in: store) }
