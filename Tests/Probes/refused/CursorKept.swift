// refused: 'cursor' is borrowed and cannot be consumed
import StoryCore
import StoryStorage

func readTooLate(_ environment: Environment) throws(StorageError) -> KeyValue? {
    var kept: Cursor?
    do {
        let transaction = try ReadTransaction(environment)
        try transaction.withCursor(in: .main) { (cursor) throws(StorageError) in kept = consume cursor }
    }
    return try kept?.first()
}
