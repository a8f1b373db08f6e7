// refused: overlapping accesses to 'transaction'
import StoryCore
import StoryStorage

func releaseTooEarly(_ environment: Environment) throws(StorageError) {
    var transaction = try ReadTransaction(environment)
    try transaction.withCursor(in: .main) { (cursor) throws(StorageError) in
        transaction.reset()
        _ = try cursor.first()
    }
}
