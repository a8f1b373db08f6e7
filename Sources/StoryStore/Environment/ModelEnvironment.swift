package import StoryCore
import StoryStorage

/// An open environment of stored models: its files, tables and checksums, and the position that it is folded up to.
///
/// The served one is replaced by another value between two turns.
package struct ModelEnvironment: Sendable {
    let environment: Environment
    let tables: ModelTables
    let checksums: KeptChecksums
    /// The position that the models were folded up to at the opening.
    package internal(set) var position: Position
    /// The reason why other models were discarded at the opening; nil when there were none.
    let renewal: String?
    /// The number of pages that were verified before LMDB opened the models.
    let firstPages: Int
    /// An object that each copy of this value retains.
    private var retained = Copies()

    init(
        environment: Environment, tables: ModelTables, checksums: KeptChecksums, position: Position, renewal: String?,
        firstPages: Int
    ) {
        (self.environment, self.tables, self.checksums) = (environment, tables, checksums)
        (self.position, self.renewal, self.firstPages) = (position, renewal, firstPages)
    }

    /// True where nobody has another copy, such as a thread that reads the models.
    var isOnlyCopy: Bool { mutating get { isKnownUniquelyReferenced(&retained) } }

    /// The object that copies retain.
    private final class Copies: Sendable {}
}

/// The name of stored models, and the fold that their content is.
package struct ModelIdentity: Sendable {
    /// The path of their folder.
    let path: String
    /// The record of models that are folded from the start: the log, and the version of the fold.
    let record: CheckpointRecord
    let tables: [ModelTable]
    let mapSize: Int

    /// The path of the folder that holds it.
    package var folder: String { Folder.parent(of: path) }

    var options: EnvironmentOptions { ModelTables.options(tables, mapSize: mapSize) }
}

extension ModelEnvironment {
    /// Verifies every page as it is now, while the models are served; on any thread. Damage is noted: the models are
    /// replaced, or folded again at the next start.
    ///
    /// - Throws: `.corrupt` where a page is not as it was written.
    package func verify() throws(StorageError) {
        var view = try ReadTransaction(environment)
        defer { view.reset() }
        do throws(StorageError) {
            // A read that needs one of them fails from now on, although it was whole at its first use.
            try PageProof.runBeside(checksums.check) { checksums.pages.remove($0) }
        } catch {
            checksums.keep(error)
            throw error
        }
    }
}

extension LMDBModelStore {
    /// The first damage that a read, a checkpoint or a verification found in the stored tables; nil while there is none.
    /// Reads of other pages are good, and the models are to be replaced.
    package var damage: StorageError? { opened.checksums.damage }
    /// True where LMDB writes nothing more until the models are opened again.
    package var isStopped: Bool { opened.environment.isStopped }
    /// The size of the stored tables, in bytes.
    package var storedBytes: Int { opened.environment.usedBytes }
    /// The number of pages that were verified so far, those of the opening included.
    package var verifiedPages: Int { opened.firstPages + opened.checksums.pages.count }

    package func withProvenValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool { try find(table, key, isProving: true).map(body) != nil }

    /// Begins a turn of the loop that the store belongs to; where nobody does, each search compares all its pages.
    package func turnEnded() { opened.checksums.pages.nextTurn() }

    /// Notes damage, as a verification does that found it.
    package func suspect(_ damage: StorageError) { opened.checksums.keep(damage) }

    /// Frees the reader slots of dead processes; the slot of a killed replay would keep pages from being used again.
    package func clearStaleReaders() { opened.environment.clearStaleReaders() }

    /// Throws `.failed` where a file of the models was moved, removed or replaced.
    package func checkNames() throws(StorageError) {
        if !isBeingReplaced { try opened.environment.checkNames() }
    }
}

/// The storage of a table.
struct StoredTable: Sendable {
    let name: String
    let database: Database
    /// True where only keys are stored, in blocks; otherwise each entry is one of the database.
    let isSet: Bool
}

/// The named databases of the models' environment.
struct ModelTables: Sendable {
    /// The tables by number.
    private let stored: [StoredTable?]
    /// The database of the checkpoint record.
    let meta: Database

    /// The tables' numbers, in ascending order.
    let numbers: [UInt8]

    static let metaName = "meta"

    static func options(
        _ tables: [ModelTable], mapSize: Int = EnvironmentOptions().mapSize
    ) -> EnvironmentOptions {
        var options = EnvironmentOptions(databases: UInt32(tables.count) + 1)
        options.mapSize = mapSize
        options.isWalkedFirst = false
        return options
    }

    /// Opens the databases of all tables; missing ones are created.
    init(_ transaction: borrowing WriteTransaction, _ tables: [ModelTable]) throws(StorageError) {
        var stored = [StoredTable?](repeating: nil, count: 256)
        for table in tables {
            stored[Int(table.number)] = StoredTable(
                name: table.name, database: try transaction.database(table.name), isSet: table.isSet)
        }
        self.stored = stored
        numbers = tables.map(\.number).sorted()
        meta = try transaction.database(ModelTables.metaName)
    }

    @inline(__always)
    subscript(table: UInt8) -> StoredTable {
        guard let table = stored[Int(table)] else { preconditionFailure("table \(table) has no database") }
        return table
    }
}
