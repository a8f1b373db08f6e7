// refused: 'SignUp' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func signUp(_ event: UserSignedUp) -> UserCommand { .signUp(SignUp(id: nil, event: event)) }
