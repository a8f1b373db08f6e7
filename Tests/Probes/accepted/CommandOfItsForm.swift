import StoryCore

/// A command comes out of its form, or every wrong field does.
func signUp(_ fields: FormFields, in directory: any Directory) -> Result<UserCommand, Failure> {
    SignUpForm(fields).build(in: directory).map(UserCommand.signUp).mapError(\.failure)
}

func wrongTitle(_ fields: FormFields, in directory: any Directory) -> FieldRule? {
    switch PostStoryForm(fields).build(in: directory) {
    case .success: nil
    case .failure(let errors): errors.rule(of: .title)
    }
}
