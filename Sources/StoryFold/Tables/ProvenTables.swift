package import StoryCore

/// The tables of a store for what a write rests on: each read is of pages that are compared with their checksums as they
/// are now.
package final class ProvenTables: TableStore {
    private let store: any TableStore

    /// Reads the tables of a store.
    package init(_ store: any TableStore) { self.store = store }

    package var checkpointed: Position { store.checkpointed }

    package func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        try store.withProvenValue(table, at: key, body)
    }

    package func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool, _ visit: EntryVisit
    ) throws(StorageError) {
        try store.walk(table, range, order, isProving: true, visit)
    }

    package func suspect(_ damage: StorageError) { store.suspect(damage) }

    // MARK: Writes

    package func put(
        _ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer
    ) throws(StorageError) {
        try store.put(value, in: table, at: key)
    }

    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        try store.remove(in: table, at: key)
    }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) {
        try store.add(change, in: table, at: key)
    }

    package func write(_ batch: borrowing WriteBatch) throws(StorageError) { try store.write(batch) }

    package func append(
        _ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> Int {
        try store.append(bytes, in: table, at: key)
    }
}
