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
    /// The content of the newest checkpoint, and of the one in progress; kept only where `isViewed`.
    private var (stored, frozen) = (MemoryView(), MemoryView())
    /// True where `view` is of use.
    private let isViewed: Bool
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

    package init(isViewed: Bool = false) { self.isViewed = isViewed }

    package var storedBytes: Int { 0 }
    /// True while something is set aside that is not stored.
    package var isFrozen: Bool { pending != nil }

    package func beginStoring(at position: Position) -> StoringWork {
        begun.append(position)
        pending = position
        if isViewed { frozen = MemoryView(store, position) }
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
        stored = frozen
    }

    package func fail() { pending = nil }

    /// Nothing is really stored, so everything is forgotten.
    package func discard() {
        store.removeAll()
        checkpointed = .zero
        stored = MemoryView()
    }

    package func clearStaleReaders() {}

    package func view() -> any TableView {
        precondition(isViewed, "models are viewed that keep nothing for it")
        return stored
    }

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
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        store.walk(table, range, order, isProving: isProving) {
            lookCount += 1
            return visit($0, $1)
        }
    }
}

/// The tables of models in memory, as a checkpoint had them.
private final class MemoryView: TableView {
    let position: Position
    private let tables: [UInt8: [(key: [UInt8], value: [UInt8])]]

    init() { (position, tables) = (.zero, [:]) }

    init(_ store: MemoryModelStore, _ position: Position) {
        var tables: [UInt8: [(key: [UInt8], value: [UInt8])]] = [:]
        for table in UInt8.min...UInt8.max {
            store.walk(table, .all, .ascending, isProving: false) { key, value in
                tables[table, default: []].append((Array(key), Array(value)))
                return true
            }
        }
        (self.position, self.tables) = (position, tables)
    }

    func verify() {}

    func scan(_ table: ModelTable, _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool) {
        for (key, value) in tables[table.number] ?? []
        where !key.withBytes({ key in value.withBytes { visit(key, $0) } }) {
            return
        }
    }

    func has(_ key: UnsafeRawBufferPointer, in table: ModelTable) -> Bool {
        tables[table.number]?.contains { $0.key.elementsEqual(key) } ?? false
    }

    func close() {}
}
