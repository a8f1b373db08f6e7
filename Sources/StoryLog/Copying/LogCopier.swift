import StoryStorage
package import StoryCore

/// A copier of a log into a new data directory, up to one commit, while the log is appended to.
///
/// It may run on any one thread. The models are not copied; the first start folds them. The copy is a history of its
/// own: it has a new ID, and names this log as its parent.
package struct LogCopier: Sendable {
    /// A phase of the copying.
    package enum Step { case copying, checking }

    /// The size of one commit of the copy, in bytes of blocks.
    private static let piece = 16 << 20

    let environment: Environment
    /// The events that are being erased: they are erased in the copy as well.
    let mask: ErasureMask
    let header: LogHeader
    /// The committed records that are not in blocks.
    let tail: [BlockSection]
    /// Blocks that begin after it are left out, so that the copying ends although events are appended.
    let last: Position
    let journalSize: Int

    /// Makes the directory at `path`, which must not exist or be empty, and returns the last position of the copy.
    ///
    /// The directory appears under its name once it is complete, synced and verified.
    ///
    /// - Parameters:
    ///   - mustEnd: is called now and then; true ends the copying.
    ///   - progress: receives the step, and the last position that is done.
    /// - Throws: `.corrupt` if the log is damaged, `.failed` or `.full` if the copy cannot be made or was ended.
    package func run(
        to path: String, mustEnd: () -> Bool = { false },
        progress: (Step, Position) -> Void = { _, _ in }
    ) throws(StorageError) -> Position {
        guard path.hasPrefix("/") else { throw .failed("\(path) is no absolute path") }
        let folder = try NewFolder(path)
        do throws(StorageError) {
            let position = try fill(folder.draft, mustEnd, progress)
            try folder.publish()
            return position
        } catch {
            Folder.removeStore(folder.draft)
            throw error
        }
    }

    private func fill(
        _ draft: String, _ mustEnd: () -> Bool, _ progress: (Step, Position) -> Void
    ) throws(StorageError) -> Position {
        try Folder.makeAll(Folder.parent(of: draft))
        try Folder.make(draft, mustBeNew: true)
        let id = try RandomBytes.make(LogHeader.idCount)
        try LogCreation.createEnvironment(draft + "/log", header.identity, created: header.created)
        let copy = try Environment.open(at: draft + "/log", EnvironmentOptions())
        defer { copy.close() }
        var writer = BlockCopy(source: environment, target: copy, root: header.identity.root, last: last)
        let position = try writer.run(tail, piece: LogCopier.piece) { position in
            progress(.copying, position)
            return !mustEnd()
        }
        if !mask.isEmpty { try copy.erase(mask, through: position) }
        let file = try FileIdentity(copy.fileDescriptor)
        try header.with(header.identity.copy(id: id, at: position), in: file).replace(in: copy)
        try JournalFile.create(draft + "/log.journal", logID: id, fileSize: journalSize)
        try FormatFile.create(draft)
        try LogVerifier(environment: copy).run { position in
            progress(.checking, position)
            return !mustEnd()
        }
        guard !mustEnd() else { throw BlockCopy.ended }
        try Folder.sync(draft)
        return position
    }
}

/// The state of a copy of blocks, unchanged, from one environment to another.
private struct BlockCopy {
    static let ended = StorageError.failed("the copying was ended")

    let source: Environment
    let target: Environment
    let root: [UInt8]
    /// Blocks that begin after it are left out.
    let last: Position
    var position: Position = .zero
    var seal: Seal?

    /// Copies the blocks, then makes blocks of the rest of `tail`; returns the last position.
    ///
    /// - Parameter progress: receives the last position of each commit; returns false to end the copying.
    mutating func run(
        _ tail: [BlockSection], piece: Int, progress: (Position) -> Bool
    ) throws(StorageError) -> Position {
        while position < last, try advance(piece) {
            guard progress(position) else { throw BlockCopy.ended }
        }
        let rest = tail.compactMap { $0.part(after: position.value) }
        guard let last = rest.last else { return position }
        _ = try target.store(rest, after: seal ?? SealChain.first(of: root))
        return Position(last.run.last)
    }

    /// Copies about `piece` bytes of blocks in one commit; false if there are no more.
    private mutating func advance(_ piece: Int) throws(StorageError) -> Bool {
        let reader = try ReadTransaction(source)
        return try reader.withCursor(in: .main) { (cursor) throws(StorageError) in try advance(piece, with: cursor) }
    }

    private mutating func advance(_ piece: Int, with cursor: borrowing Cursor) throws(StorageError) -> Bool {
        var entry = try PositionKey.with(position.next.value) { (key) throws(StorageError) in try cursor.seek(key) }
        guard entry != nil else { return false }
        try target.reserveRoom(2 * piece)
        let writer = try WriteTransaction(target)
        var copied = 0
        while let found = entry, copied < piece, position < last {
            let block = try BlockMap.header(found.value, position.next.value)
            try writer.put(found.value, in: .main, at: found.key, isLast: true)
            (position, seal) = (Position(block.last), block.seal(found.value))
            copied += found.value.count
            entry = try cursor.next()
        }
        try writer.commit(isReserved: true)
        return true
    }
}
