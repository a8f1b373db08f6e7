// refused: 'Command<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func signUpUnchecked() -> Command<UserEvent> {
    Command(.signedUp(UserSignedUp(name: Text(""), email: Text("nobody"), prefecture: 99)), givenID: nil)
}
