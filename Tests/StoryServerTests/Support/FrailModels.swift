import LoopSupport
import StoryCore
import StoryFold
import StoryStorage
import TestSupport

@testable import StoryServer

/// Models in memory in which reading meets damage when the test says so.
final class FrailModels: ServedModels {
    let memory = MemoryModels()
    /// True while each read meets damage.
    var isFrail = false
    private(set) var damage: StorageError?

    /// Others, which are whole, replace them.
    func replace() {
        (isFrail, damage) = (false, nil)
        memory.discard()
    }

    private func look() throws(StorageError) {
        guard isFrail else { return }
        let error = StorageError.corrupt("a page", at: nil)
        damage = error
        throw error
    }

    var failure: StorageError? { memory.failure }
    var checkpointed: Position { memory.checkpointed }
    var bufferedBytes: Int { memory.bufferedBytes }
    var storedBytes: Int { memory.storedBytes }
    func beginStoring(at position: Position) -> StoringWork { memory.beginStoring(at: position) }
    func finish() { memory.finish() }
    func fail() { memory.fail() }
    func discard() { memory.discard() }
    func clearStaleReaders() {}
    func view() throws(StorageError) -> any TableView { throw .failed("nothing is viewed") }

    // MARK: TableStore

    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        memory.put(value, in: table, at: key)
    }

    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { memory.remove(in: table, at: key) }

    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        memory.add(change, in: table, at: key)
    }

    func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) -> Int {
        memory.append(bytes, in: table, at: key)
    }

    func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        try look()
        return memory.withValue(table, at: key, body)
    }

    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try look()
        memory.walk(table, range, order, isProving: isProving, visit)
    }
}
