// refused: 'Checked<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func signUpUnchecked() -> Checked<UserSignedUp> {
    Checked(UserSignedUp(name: Text(""), email: Text("nobody"), prefecture: 99), givenID: nil)
}
