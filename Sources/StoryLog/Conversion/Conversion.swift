import StoryStorage
import Glibc
package import StoryCore

/// Receives the progress of a conversion: the last position that was converted, and the last one of all.
package typealias ConversionProgress = (_ position: Position, _ of: Position) -> Void

/// Makes a directory of format 1 or 2 one of this program's format: whole or not at all.
///
/// The new log is built beside the old one. When it is whole and synced it gets the name `log.new`; from then on a
/// start only goes on with the renaming, wherever a crash ended it. `FORMAT` is raised last, and then the old files are
/// removed. The log keeps its ID, so stored models stay valid.
enum Conversion {
    /// How many bytes of records one commit of the new log has.
    private static let piece = 16 << 20

    /// - Throws: `.corrupt` where the old log is damaged or gone: nothing is changed then. `.full` or `.failed` where the
    ///   new one cannot be written; the next start tries again.
    static func runIfNeeded(
        _ directory: DataDirectory, _ options: EnvironmentOptions, _ journalSize: Int, _ progress: ConversionProgress?
    ) throws(StorageError) {
        let names = ConversionNames(directory)
        if directory.format < FormatFile.version {
            if !Folder.exists(names.newLog), !Folder.exists(names.oldLog), Folder.exists(names.log) {
                try build(names, options, progress)
            }
            try names.exchange(journalSize)
            try LogCreation.checkNothingIsGone(directory)
            try directory.raiseFormat()
        }
        try names.removeOld()
    }

    private static func build(
        _ names: ConversionNames, _ options: EnvironmentOptions, _ progress: ConversionProgress?
    ) throws(StorageError) {
        let old = try LegacyLog(names.log, names.journal, options)
        defer { old.close() }
        let draft = names.newLog + ".draft"
        try Folder.removeEnvironment(draft)
        try LogCreation.createEnvironment(draft, StoredIdentity(id: old.id), created: old.created)
        let target = try Environment.open(at: draft, options)
        defer { target.close() }
        var writer = ConvertedBlocks(BlockStore(environment: target, hasher: try SealHasher()), root: old.id)
        try old.forEachEvent { (event, json) throws(StorageError) in
            guard try writer.add(event, json, piece: piece) else { return }
            progress?(event.position, old.head)
        }
        try writer.end()
        progress?(old.head, old.head)
        try target.sync()
        try LogVerifier(target, []).run { _ in true }
        try Folder.rename(draft, to: names.newLog)
    }
}

/// Lays old events out as records, and stores them as blocks, some at a time.
private struct ConvertedBlocks {
    private let store: BlockStore
    private let salts = Salts()
    private var memory = JournalMemory(after: .zero)
    private var seal: Seal
    private var last: UInt64 = 0
    private var waiting = 0

    init(_ store: BlockStore, root: [UInt8]) {
        self.store = store
        seal = store.hasher.first(of: root)
    }

    /// True when blocks were stored.
    mutating func add(
        _ event: EventHeader, _ json: UnsafeRawBufferPointer, piece: Int
    ) throws(StorageError) -> Bool {
        let record = RecordWriter(event, json)
        let block = memory.block(for: event.position.value, record.count)
        record.write(json, salts, to: block.target)
        block.added(record.count)
        last = event.position.value
        waiting += record.count
        guard waiting >= piece, let full = memory.lastFull else { return false }
        try flush(through: full)
        return true
    }

    mutating func end() throws(StorageError) { try flush(through: last) }

    private mutating func flush(through position: UInt64) throws(StorageError) {
        let sections = memory.sections(from: 1, through: position)
        guard !sections.isEmpty else { return }
        seal = try store.store(sections, after: seal)
        memory.flushed(through: Position(position))
        waiting = 0
    }
}

/// The names that a conversion gives to files, and the steps from one to the next.
struct ConversionNames {
    let log: String
    let journal: String
    var newLog: String { log + ".new" }
    // Names that nobody gives to a log that is to be kept.
    var oldLog: String { log + ".old.tmp" }
    var oldJournal: String { journal + ".old.tmp" }

    init(_ directory: DataDirectory) { (log, journal) = (directory.logPath, directory.journalPath) }

    /// Puts the new log and an empty journal where the old ones were. Each step is one renaming, so a crash leaves
    /// a state that this goes on from.
    ///
    /// - Throws: `.full` or `.failed` where a step fails.
    func exchange(_ journalSize: Int) throws(StorageError) {
        if Folder.exists(newLog) {
            if Folder.exists(log), !Folder.exists(oldLog) { try Folder.rename(log, to: oldLog) }
            if Folder.exists(journal), !Folder.exists(oldJournal) { try Folder.rename(journal, to: oldJournal) }
            try Folder.rename(newLog, to: log)
        }
        guard Folder.exists(oldLog) else { return }
        let environment = try Environment.open(at: log, EnvironmentOptions())
        defer { environment.close() }
        let transaction = try ReadTransaction(environment)
        let header = try LogHeader(try LogState.headerBytes(transaction.handle))
        try JournalFile.create(journal, logID: header.identity.id, fileSize: journalSize)
    }

    /// Removes the old log and journal.
    ///
    /// - Throws: `.failed` where it cannot be removed.
    func removeOld() throws(StorageError) {
        if Folder.exists(oldLog) { try Folder.removeEnvironment(oldLog) }
        guard unlink(oldJournal) == 0 || errno == ENOENT else {
            throw SystemError.from(errno, "removing \(oldJournal)")
        }
    }
}
