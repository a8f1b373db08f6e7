// refused: type 'SignUpForm.FieldID' has no member 'title'
import StoryCore

func rule(_ errors: FormErrors<SignUpForm.FieldID>) -> FieldRule? { errors.rule(of: .title) }
