// refused: 'transaction' used after consume
import StoryCore
import StoryLog

func write(_ environment: Environment) throws(StorageError) {
    let transaction = try WriteTransaction(environment)
    try transaction.commit()
    _ = try transaction.database("late")
}
