// refused: 'SignUp' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func signUpUnchecked() -> SignUp {
    SignUp(id: nil, event: UserSignedUp(name: Text(""), email: Text("nobody"), prefecture: 99))
}
