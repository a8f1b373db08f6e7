// refused: requires that 'Cursor' conform to 'Copyable'
import StoryCore
import StoryStorage

func readTooLate(_ environment: Environment) throws(StorageError) -> KeyValue? {
    let transaction = try ReadTransaction(environment)
    let cursor: Cursor = try transaction.withCursor(in: .main) { (cursor) throws(StorageError) in cursor }
    return try cursor.first()
}
