// refused: 'transaction' consumed more than once
import StoryCore
import StoryStorage

func commitTwice(_ environment: Environment) throws(StorageError) {
    let transaction = try WriteTransaction(environment)
    try transaction.commit()
    try transaction.commit()
}
