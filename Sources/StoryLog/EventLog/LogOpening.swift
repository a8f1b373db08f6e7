import StoryStorage
import Glibc
package import StoryCore

/// Making a log, and finding its end, also while another process appends to it.
extension LMDBEventLog {
    /// How often a journal is read that seems damaged: it may just be written.
    private static let attempts = 100

    /// Takes what the journal holds into memory, and from there into blocks. Where there is no room for those, it
    /// stays in the journal and is served all the same.
    func recover(_ journalSize: Int) throws(StorageError) {
        try JournalFile.replaceLost(journalPath, logID: storeID, fileSize: journalSize)
        let journal = try JournalFile(at: journalPath, logID: storeID, after: flushed, lastTime)
        if let contents = journal.takeContents() { try take(contents) }
        // A killed process may have written both without the sync; what rests on them must not be lost alone.
        try environment.sync()
        try journal.sync()
        self.journal = journal
        (committed, committedTime) = (head, lastTime)
        do throws(StorageError) {
            try flush()
        } catch {
            guard case .full = error else { throw error }
            return
        }
        guard journal.header.fileSize != journalSize else { return }
        try JournalFile.create(journalPath, logID: storeID, fileSize: journalSize)
        self.journal = try JournalFile(at: journalPath, logID: storeID, after: flushed, lastTime)
    }

    /// Finds what another process has appended meanwhile; for a log opened for reading.
    ///
    /// - Throws: `.corrupt` where the log or its journal is not as it was written.
    package func refresh() throws(StorageError) {
        precondition(access != .serving, "Only a log opened for reading is behind.")
        var attempt = 1
        while true {
            let before = try state()
            do throws(StorageError) {
                let contents = try JournalFile.contents(
                    at: journalPath, logID: storeID, after: before.head, before.lastTime)
                let after = try state()
                // Blocks were stored meanwhile: a part of the journal may have been written anew while it was read.
                if after.head == before.head { return try take(before, contents) }
            } catch {
                // What is being written while it is read looks like damage once, but not again and again.
                guard attempt < LMDBEventLog.attempts else { throw error }
                usleep(500)
            }
            attempt += 1
        }
    }

    private func take(_ state: LogState, _ contents: JournalContents) throws(StorageError) {
        (flushed, head, lastTime, seal) = (state.head, state.head, state.lastTime, state.seal)
        memory = JournalMemory(after: flushed)
        try take(contents)
        committed = head
    }

    /// Lays the journal's records out in memory, as they were when they were appended.
    private func take(_ contents: JournalContents) throws(StorageError) {
        try contents.forEachRecord(after: flushed) { (position, bytes) throws(StorageError) in
            let block = memory.block(for: position, bytes.count)
            if let source = bytes.baseAddress { memcpy(block.target, source, bytes.count) }
            block.added(bytes.count)
            head = Position(position)
            lastTime = Instant(milliseconds: RecordHeader(bytes).time)
        }
    }

    private func state() throws(StorageError) -> LogState {
        try reading { () throws(StorageError) in try LogState(try view(), map, hasher) }
    }

    static func createIfMissing(
        _ directory: DataDirectory, _ now: Instant, _ journalSize: Int
    ) throws(StorageError) {
        let path = directory.logPath
        guard !Folder.exists(path) else { return }
        guard !Folder.exists(directory.modelsPath) else {
            throw .corrupt("\(directory.path) holds models, but its log is gone", at: nil)
        }
        let header = LogHeader(
            identity: StoredIdentity(id: try RandomBytes.make(LogHeader.idCount)), created: now)
        // The journal comes first: where there is a log, there is one. What a crash left between the two holds nothing.
        guard try JournalFile.isUnused(directory.journalPath) else {
            throw .corrupt("\(directory.path) holds a journal, but its log is gone", at: nil)
        }
        try JournalFile.create(directory.journalPath, logID: header.identity.id, fileSize: journalSize)
        try create(path, header)
    }

    /// Makes an empty environment of blocks.
    static func create(_ path: String, _ header: LogHeader) throws(StorageError) {
        try Environment.create(at: path, EnvironmentOptions()) { (transaction) throws(StorageError) in
            try header.bytes.withBytes { (bytes) throws(StorageError) in
                try PositionKey.with(0) { (key) throws(StorageError) in
                    try transaction.append(bytes, in: .main, at: key)
                }
            }
        }
    }
}
