// refused: value of type 'ReadTransaction' has no member 'commit'
import StoryCore
import StoryStorage

func commitAReading(_ environment: Environment) throws(StorageError) {
    let transaction = try ReadTransaction(environment)
    try transaction.commit()
}
