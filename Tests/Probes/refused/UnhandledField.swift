// refused: switch must be exhaustive
import StoryClient

func word(_ field: StoryEdit.Field) -> String {
    switch field {
    case .title: "title"
    }
}
