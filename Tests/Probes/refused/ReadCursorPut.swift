// refused: value of type 'Cursor' has no member 'put'
import StoryCore
import StoryStorage

func writeInAReading(_ environment: Environment, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let transaction = try ReadTransaction(environment)
    try transaction.withCursor(in: .main) { (cursor) throws(StorageError) in try cursor.put(bytes, at: bytes) }
}
