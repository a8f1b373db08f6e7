// refused: 'transaction' used after consume
import StoryCore
import StoryStorage

func writeTooLate(_ environment: Environment, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let transaction = try WriteTransaction(environment)
    try transaction.commit()
    try transaction.put(bytes, in: .main, at: bytes)
}
