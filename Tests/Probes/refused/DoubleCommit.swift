// refused: 'transaction' consumed more than once
import StoryCore
import StoryLog

func write(_ environment: Environment) throws(StorageError) {
    let transaction = try WriteTransaction(environment)
    try transaction.commit()
    try transaction.commit()
}
