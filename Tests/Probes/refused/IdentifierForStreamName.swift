// refused: cannot convert value of type 'Identifier' to expected argument type
import StoryCore
import StoryModels

func head(_ id: Identifier, _ index: StreamIndex) throws -> StreamHead? { try index.head(of: id) }
