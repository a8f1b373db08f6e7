import Glibc
package import StoryCore
import StoryStorage

/// Reads what is good of a log that is damaged, event by event, whatever became of the rest.
///
/// It searches the files for records instead of following pages and blocks, and opens nothing that would have to be
/// whole. The directory is held meanwhile; no file in it but `lock` is changed.
package final class LogSalvage {
    /// One position of the log.
    package enum Event {
        /// The event, as it was written.
        case good(EventRecord)
        /// An event that is whole, on pages that no commit is known to have: one that failed may have left it.
        case doubtful(EventRecord)
        /// What is known of one that is gone.
        case lost(LostEvent)
    }

    /// An event that is gone: what the rest tells of it.
    package struct LostEvent {
        /// Where it stood.
        package let position: Position
        /// The stream that lacks an event there; else `unknownStream`, with a number behind it where that is taken.
        package let stream: String
        /// The version that the stream lacks there; in `unknownStream` they are counted.
        package let version: Version
        /// That of the event before it.
        package let time: Instant
        /// The key of the events on both sides, where it is one: a write's events stand in a row.
        package let key: String?
    }

    /// The name of the stream that lost events stand in which may have been of any.
    package static let unknownStream = "system-lost"

    /// Where a record was found; of several at one position the one with the lowest rank is taken.
    private struct Candidate {
        let position: UInt64
        let rank: Rank
        let offset: Int
    }

    /// How much a candidate is worth.
    private enum Rank: Int {
        /// On pages that the log's newest commit has.
        case used
        /// In the journal.
        case journal
        /// On pages that no commit is known to have: what never became durable may lie there.
        case unused
    }

    /// How many bytes are searched at once, and how many of those again with the next ones.
    private static let piece = 8 << 20
    private static let overlap = 2 << 20

    private let lock: DirectoryHold
    private let path: String
    private let file: FileHandle
    private var journal: [UInt8] = []
    private var candidates: [Candidate] = []

    /// Searches the log of a data directory.
    ///
    /// - Parameter progress: is told how many bytes of how many were searched; returns false to end it.
    /// - Throws: `.held` while a daemon serves it, `.failed` where there is no log.
    package init(
        _ directory: String, progress: (_ done: UInt64, _ of: UInt64) -> Bool
    ) throws(StorageError) {
        lock = try DirectoryHold(directory)
        path = directory + "/log/data.mdb"
        file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        journal = try JournalRemains.read(directory + "/log.journal")
        journal.withBytes { bytes in
            RecordSearch.run(bytes) { candidates.append(Candidate(position: $0, rank: .journal, offset: $1)) }
        }
        try search(progress)
        candidates.sort { ($0.position, $0.rank.rawValue) < ($1.position, $1.rank.rawValue) }
    }

    /// The last position of which anything is known.
    package var head: Position { Position(candidates.last?.position ?? 0) }

    /// Visits every position from 1 to the head.
    ///
    /// - Parameter visit: false where an event that is whole cannot be taken, since it does not follow those before it:
    ///   it is visited once more, as one that is gone.
    /// - Throws: what the visitor throws.
    package func run<Failure: Error>(
        _ visit: (Event) throws(Failure) -> Bool
    ) throws(Failure) {
        var lost = LostEvents()
        forEachPosition { _, record, _ in if let record { lost.add(record) } }
        lost.begin()
        // What was salvaged before has lost events of its own.
        let unknownStream = lost.freeName(LogSalvage.unknownStream)
        var failure: Failure?
        var unknown: UInt64 = 0
        var time = Instant(milliseconds: 0)
        forEachPosition { position, record, rank in
            guard failure == nil else { return }
            do throws(Failure) {
                if let record, try visit(rank == .unused ? .doubtful(record) : .good(record)) {
                    time = record.time
                    return
                }
                let gap = record == nil ? lost.next(at: position) : nil
                if gap == nil { unknown += 1 }
                _ = try visit(
                    .lost(
                        LostEvent(
                            position: Position(position), stream: gap?.stream ?? unknownStream,
                            version: gap?.version ?? Version(unknown), time: time, key: lost.key(at: position))))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func forEachPosition(_ visit: (UInt64, EventRecord?, Rank?) -> Void) {
        var index = 0
        var position: UInt64 = 1
        while index < candidates.count {
            while position < candidates[index].position {
                visit(position, nil, nil)
                position += 1
            }
            var isFound = false
            while index < candidates.count, candidates[index].position == position {
                let rank = candidates[index].rank
                if !isFound { isFound = visitRecord(candidates[index]) { visit($0, $1, rank) } }
                index += 1
            }
            if !isFound { visit(position, nil, nil) }
            position += 1
        }
    }

    /// Lends a record; false where it cannot be read any more.
    private func visitRecord(_ candidate: Candidate, _ visit: (UInt64, EventRecord?) -> Void) -> Bool {
        guard candidate.rank != .journal else {
            return journal.withBytes { visitRecord($0, candidate.offset, candidate.position, visit) }
        }
        do throws(StorageError) {
            let head = try file.read(RecordHeader.size, at: candidate.offset, of: path)
            guard head.count == RecordHeader.size else { return false }
            let count = head.withBytes { RecordHeader($0).recordCount }
            return try file.read(count, at: candidate.offset, of: path).withBytes {
                visitRecord($0, 0, candidate.position, visit)
            }
        } catch {
            return false
        }
    }

    private func visitRecord(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ position: UInt64, _ visit: (UInt64, EventRecord?) -> Void
    ) -> Bool {
        guard let record = RecordSearch.read(bytes, at: start, position) else { return false }
        visit(position, record)
        return true
    }

    private func search(_ progress: (UInt64, UInt64) -> Bool) throws(StorageError) {
        let (used, isWhole) = UsedPages.find(path)
        let size = Int(try file.status(path).st_size)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: LogSalvage.piece, alignment: 4_096)
        defer { buffer.deallocate() }
        var start = 0
        while start < size {
            let count = file.readGood(into: buffer, at: start, of: path)
            let isLast = start + count >= size
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            // What begins in the overlap is searched with the next piece.
            let end = isLast ? count : count - LogSalvage.overlap
            RecordSearch.run(bytes) { position, offset in
                guard offset < end else { return }
                let rank = used.contains(start + offset) ? Rank.used : .unused
                candidates.append(Candidate(position: position, rank: rank, offset: start + offset))
            }
            if isLast { break }
            start += end
            guard progress(UInt64(start), UInt64(size)) else { throw .failed("the search was ended") }
        }
        if isWhole { dropUncommitted() }
    }

    /// Where all pages of the newest commit are known, nothing was committed behind their last record but what is in the
    /// journal.
    private func dropUncommitted() {
        let last = candidates.lazy.filter { $0.rank != .unused }.map(\.position).max() ?? 0
        candidates.removeAll { $0.rank == .unused && $0.position > last }
    }
}

/// The pages that the newest commit of an environment has, as far as they can be found.
private final class UsedPages: PageVisitor {
    let wantsValues = false
    private var pageSize = 4_096
    private var pages: Set<UInt64> = []

    /// - Returns: the pages, and whether those are all.
    static func find(_ path: String) -> (pages: UsedPages, isWhole: Bool) {
        let found = UsedPages()
        do throws(StorageError) {
            let walk = try PageWalk(path)
            found.pageSize = walk.meta.pageSize
            try walk.run(found)
            return (found, true)
        } catch {
            // The pages up to the first damaged one are known then.
            return (found, false)
        }
    }

    func contains(_ offset: Int) -> Bool { pages.contains(UInt64(offset / pageSize)) }

    func enters(treeOf pages: UInt64, isNamed: Bool) -> Bool { true }

    func enters(_ page: UInt64, _ count: UInt64) -> Bool {
        for number in page..<page + count { pages.insert(number) }
        return true
    }

    func leaves(_ page: UInt64, _ bytes: UnsafeRawBufferPointer) {}

    func frees(_ pages: UnsafeRawBufferPointer, by transaction: UInt64) {}
}
