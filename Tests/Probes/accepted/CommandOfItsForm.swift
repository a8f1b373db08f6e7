import StoryCore

/// A command comes out of its form, or every wrong field does.
func signUp(_ fields: FormFields, in directory: any Directory) -> Result<Command<UserEvent>, Failure> {
    SignUpForm.build(fields, in: directory).mapError(\.failure)
}

/// A decision is one on a command.
func decide(_ fields: FormFields, in directory: any Directory) -> Decision? {
    guard case .success(let command) = PostStoryForm.build(fields, in: directory) else { return nil }
    return StoryDecider.decide(command, on: .none)
}

func wrongTitle(_ fields: FormFields, in directory: any Directory) -> FieldRule? {
    switch PostStoryForm.build(fields, in: directory) {
    case .success: nil
    case .failure(let errors): errors.rule(of: .title)
    }
}
