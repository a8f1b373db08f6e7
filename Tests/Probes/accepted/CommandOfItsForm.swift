import StoryCore

/// A command comes out of its form, or every wrong field does.
func signUp(_ fields: FormFields, in directory: any Directory) -> Result<Checked<UserSignedUp>, Failure> {
    SignUpForm.build(fields, in: directory).mapError(\.failure)
}

func wrongTitle(_ fields: FormFields, in directory: any Directory) -> FieldRule? {
    switch PostStoryForm.build(fields, in: directory) {
    case .success: nil
    case .failure(let errors): errors.rule(of: .title)
    }
}
