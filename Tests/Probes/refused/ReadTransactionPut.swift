// refused: value of type 'ReadTransaction' has no member 'put'
import StoryCore
import StoryStorage

func writeInAReading(_ environment: Environment, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let transaction = try ReadTransaction(environment)
    try transaction.put(bytes, in: Database.main, at: bytes)
}
