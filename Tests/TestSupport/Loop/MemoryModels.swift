package import StoryCore
package import StoryFold
import StoryStore
package import StoryServer
import StoryStorage
import Glibc
import Synchronization

/// Models in memory that can be stored, which means that a position is remembered, and that can fail.
package final class MemoryModels: ServedModels {
    private let store = MemoryModelStore()
    package private(set) var checkpointed: Position = .zero
    /// What the loop is told that reading failed with.
    package var failure: StorageError?
    package var damage: StorageError? { nil }
    /// What storing throws.
    package var storingFailure: StorageError? {
        get { outcome.failure.withLock { $0 } }
        set { outcome.failure.withLock { $0 = newValue } }
    }
    /// While it is not set, storing does not end; nil: it ends at once.
    package var storingEnds: EndFlag?
    /// What the loop is told that memory holds.
    package var bufferedBytes = 0
    /// Where checkpoints began.
    package private(set) var begun: [Position] = []
    private var pending: Position?
    private let outcome = Outcome()
    /// How often storing was begun.
    package var runCount: Int { outcome.runs.load(ordering: .relaxed) }

    /// What the thread that stores sees, too.
    private final class Outcome: Sendable {
        let failure = Mutex<StorageError?>(nil)
        let runs = Atomic(0)
    }
    /// How many entries were looked at, by key or in a walk.
    package private(set) var lookCount: UInt64 = 0

    package init() {}

    package var storedBytes: Int { 0 }
    /// True while something is set aside that is not stored.
    package var isFrozen: Bool { pending != nil }

    package func beginStoring(at position: Position) -> StoringWork {
        begun.append(position)
        pending = position
        let (outcome, mayEnd) = (outcome, storingEnds)
        return { () throws(StorageError) in
            outcome.runs.add(1, ordering: .relaxed)
            while let mayEnd, !mayEnd.isSet { usleep(100) }
            if let failure = outcome.failure.withLock({ $0 }) { throw failure }
        }
    }

    package func finish() {
        checkpointed = pending ?? checkpointed
        pending = nil
    }

    package func fail() { pending = nil }

    /// Nothing is really stored, so everything is forgotten.
    package func discard() {
        store.removeAll()
        checkpointed = .zero
    }

    package func clearStaleReaders() {}

    // MARK: TableStore

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        store.put(value, in: table, at: key)
    }

    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { store.remove(in: table, at: key) }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        store.add(change, in: table, at: key)
    }

    package func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) -> Int {
        store.append(bytes, in: table, at: key)
    }

    package func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        lookCount += 1
        return store.withValue(table, at: key, body)
    }

    package func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        store.walk(table, range, order) {
            lookCount += 1
            return visit($0, $1)
        }
    }
}
