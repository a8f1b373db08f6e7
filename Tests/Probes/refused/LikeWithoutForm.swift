// refused: 'Checked<Fact>' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func likeUnchecked(_ user: Identifier) -> Checked<Identifier> { Checked(user, givenID: nil) }
