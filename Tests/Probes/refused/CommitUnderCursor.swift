// refused: 'transaction' cannot be consumed when captured by an escaping closure or borrowed by a non-Escapable type
import StoryCore
import StoryStorage

func commitTooEarly(_ environment: Environment, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let transaction = try WriteTransaction(environment)
    try transaction.withCursor(in: .main) { (cursor) throws(StorageError) in
        try transaction.commit()
        try cursor.put(bytes, at: bytes)
    }
}
