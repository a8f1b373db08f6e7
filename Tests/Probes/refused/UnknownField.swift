// refused: has no member 'titel'
import StoryCore

func rule(_ errors: FormErrors<PostStoryForm.FieldID>) -> FieldRule? { errors.rule(of: .titel) }
