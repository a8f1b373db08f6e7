// refused: 'transaction' consumed more than once
import StoryCore
import StoryStorage

func copyAndCommitBoth(_ environment: Environment) throws(StorageError) {
    let transaction = try WriteTransaction(environment)
    let other = transaction
    try other.commit()
    try transaction.commit()
}
