import StoryCore
import StoryStorage

/// A transaction has cursors while a closure runs; those of a write transaction also write.
func copyFirst(_ source: Environment, _ target: Environment) throws(StorageError) {
    var reader = try ReadTransaction(source)
    let writer = try WriteTransaction(target)
    try reader.withCursor(in: .main) { (from) throws(StorageError) in
        guard let entry = try from.first() else { return }
        try writer.withCursor(in: .main) { (to) throws(StorageError) in try to.put(entry.value, at: entry.key) }
    }
    try writer.commit()
    reader.reset()
}
