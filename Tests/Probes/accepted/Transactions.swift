import StoryCore
import StoryLog

func write(_ environment: Environment) throws(StorageError) {
    let transaction = try WriteTransaction(environment)
    try transaction.commit()
}
