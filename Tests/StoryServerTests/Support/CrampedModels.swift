import StoryCore
import StoryFold
import StoryStorage
import StoryStore
import TestSupport

@testable import StoryServer

/// Models in memory that have to be stored after some writes, on a disk that is full every other time.
final class CrampedModels: ServedModels {
    /// The content of the disk after a checkpoint.
    struct Disk {
        let position: Position
        let tables: [ModelTable: [(key: [UInt8], value: [UInt8])]]
    }

    /// The number of writes that memory has room for.
    private let room: Int
    private let tables: [ModelTable]
    private let memory = MemoryModelStore()
    private var writes = 0
    private var isFull = false
    private var pending = Position.zero
    private(set) var checkpointed: Position
    /// The content of the disk after each checkpoint.
    private(set) var disks: [Disk] = []

    init(_ tables: [ModelTable], room: Int, from disk: Disk? = nil) {
        (self.tables, self.room, checkpointed) = (tables, room, disk?.position ?? .zero)
        if let disk {
            disks = [disk]
            read(disk)
        }
    }

    private func read(_ disk: Disk) {
        for (table, entries) in disk.tables {
            for entry in entries { memory.put(entry.value.lent, in: table.number, at: entry.key.lent) }
        }
    }

    /// The digests of all tables.
    var digests: [ModelDigest] { tables.map { memory.digest(of: $0) } }

    var failure: StorageError? { nil }
    var damage: StorageError? { nil }
    var bufferedBytes: Int { writes < room ? writes : 64 << 20 }
    var storedBytes: Int { 0 }

    func beginStoring(at position: Position) -> StoringWork {
        pending = position
        isFull.toggle()
        return { [isFull] () throws(StorageError) in if isFull { throw .full("the disk is full") } }
    }

    func finish() {
        (checkpointed, writes) = (pending, 0)
        let entries = tables.map { ($0, memory.entries(of: $0)) }
        disks.append(Disk(position: pending, tables: Dictionary(uniqueKeysWithValues: entries)))
    }

    func fail() {}

    func discard() {
        memory.removeAll()
        writes = 0
        if let disk = disks.last { read(disk) }
    }

    func clearStaleReaders() {}
    func view() throws(StorageError) -> any TableView { throw .failed("nothing is viewed") }

    // MARK: TableStore

    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        writes += 1
        memory.put(value, in: table, at: key)
    }

    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) {
        writes += 1
        memory.remove(in: table, at: key)
    }

    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        writes += 1
        memory.add(change, in: table, at: key)
    }

    func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) -> Int {
        writes += 1
        return memory.append(bytes, in: table, at: key)
    }

    func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool { memory.withValue(table, at: key, body) }

    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) { memory.walk(table, range, order, isProving: isProving, visit) }
}
