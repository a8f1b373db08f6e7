import TestSupport
import Testing

/// A defect of a store that never was: the images are built as if it had made it.
enum PlantedBug: String, CaseIterable, CustomTestStringConvertible {
    case journalIsNotSynced = "the journal is not synced"
    case journalIsSyncedLate = "a commit is synced with the next one, after its reply"
    case journalLosesTheEndOfAnEntry = "the last sector of each write of the journal is not written"
    case logIsNotSynced = "LMDB does not sync the log"
    case firstPagesAreNotSynced = "LMDB's first pages are written without O_DSYNC"
    case foldersAreNotSynced = "folders are not synced"
    case draftsAreNotSynced = "drafts are renamed without a sync"
    case cacheIsTrusted = "what a start finds in the cache is not written again"

    /// What makes something durable.
    enum Sync {
        case file, folder, writeThrough
    }

    var testDescription: String { rawValue }

    /// Where it shows.
    var phase: Phase {
        switch self {
        case .journalIsNotSynced, .journalIsSyncedLate: .oneClient
        case .journalLosesTheEndOfAnEntry: .groups
        case .logIsNotSynced, .firstPagesAreNotSynced: .largeTurns
        case .foldersAreNotSynced, .draftsAreNotSynced: .creation
        case .cacheIsTrusted: .failedSync
        }
    }

    /// True where LMDB may meet pages that end a process.
    var endsProcesses: Bool {
        switch self {
        case .logIsNotSynced, .firstPagesAreNotSynced, .draftsAreNotSynced: true
        case .journalIsNotSynced, .journalIsSyncedLate, .journalLosesTheEndOfAnEntry, .foldersAreNotSynced,
            .cacheIsTrusted:
            false
        }
    }

    /// True where the sync of this file does nothing.
    func swallows(_ sync: Sync, _ path: String) -> Bool {
        switch self {
        case .journalIsNotSynced: sync == .file && path.hasSuffix("/log.journal")
        case .logIsNotSynced: sync == .file && path.hasSuffix("/log/data.mdb")
        case .firstPagesAreNotSynced: sync == .writeThrough
        case .foldersAreNotSynced: sync == .folder
        case .draftsAreNotSynced: sync == .file && path.contains(".tmp")
        case .journalIsSyncedLate, .journalLosesTheEndOfAnEntry, .cacheIsTrusted: false
        }
    }

    /// True where this write is not made, because the cache has the same.
    func omits(_ call: RecordedCall, _ path: String) -> Bool {
        self == .cacheIsTrusted && path.hasSuffix("/log.journal") && call.bytes.count > 32_768
    }

    /// True where a sync does only what the one before it should have done.
    func putsOff(_ path: String) -> Bool { self == .journalIsSyncedLate && path.hasSuffix("/log.journal") }

    /// What is written instead of these bytes.
    func spoiled(_ bytes: [UInt8], of path: String) -> [UInt8] {
        guard self == .journalLosesTheEndOfAnEntry, path.hasSuffix("/log.journal"), bytes.count > Disk.sector else {
            return bytes
        }
        return Array(bytes.dropLast(Disk.sector) + [UInt8](repeating: 0, count: Disk.sector))
    }
}
