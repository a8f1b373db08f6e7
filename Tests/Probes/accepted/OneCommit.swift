import StoryCore
import StoryStorage

/// A transaction is begun, written to and committed once.
func writeOnce(_ environment: Environment, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let transaction = try WriteTransaction(environment)
    try transaction.put(bytes, in: .main, at: bytes)
    try transaction.commit()
}

/// One that is let go without a commit is aborted.
func writeNothing(_ environment: Environment, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let transaction = try WriteTransaction(environment)
    try transaction.put(bytes, in: .main, at: bytes)
}
