import Glibc
package import StoryCore
import StoryStorage

/// A reader of the intact events of a damaged log, whatever the state of the rest.
///
/// It searches the files for records instead of following pages and blocks, and opens nothing that would have to be
/// intact. The directory is locked meanwhile; no file in it but `lock` is changed.
package final class LogSalvage {
    /// The result for one position of the log.
    package enum Event {
        /// An intact event.
        case good(EventRecord)
        /// An intact event on pages that no known commit has: a failed commit may have left it.
        case doubtful(EventRecord)
        /// A lost event.
        case lost(LostEvent)
    }

    /// A lost event, as far as it is known from the others.
    package struct LostEvent {
        /// The position of the event.
        package let position: Position
        /// The stream that lacks an event there; otherwise `unknownStream`, followed by a number if that is in use.
        package let stream: String
        /// The version that the stream lacks there; a running number in `unknownStream`.
        package let version: Version
        /// The time of the event before it.
        package let time: Instant
        /// The key of the events before and after it, if that is the same: the events of a write are consecutive.
        package let key: String?
    }

    /// The name of the stream for lost events whose stream is unknown.
    package static let unknownStream = "system-lost"

    /// A record that was found; of several at one position the one with the lowest rank is used.
    private struct Candidate {
        let position: UInt64
        let rank: Rank
        let offset: Int
    }

    /// The reliability of a candidate, the best first.
    private enum Rank: Int {
        /// On pages of the log's newest commit.
        case used
        /// In the journal.
        case journal
        /// On pages that no known commit has; the record may never have been durable.
        case unused
    }

    /// The number of bytes that are searched at once, and of those that are searched again with the next ones.
    private static let piece = 8 << 20
    private static let overlap = 2 << 20

    private let lock: DirectoryHold
    private let path: String
    private let file: FileHandle
    private var journal: [UInt8] = []
    private var candidates: [Candidate] = []
    /// The events that the log orders to erase, whether that was carried out or not.
    private var mask = ErasureMask()

    /// Searches the log of a data directory.
    ///
    /// - Parameter progress: receives the number of bytes searched and of all bytes; returns false to end the search.
    /// - Throws: `.held` while a daemon serves the log, `.failed` if there is none or the search was ended.
    package init(
        _ directory: String, progress: (_ done: UInt64, _ of: UInt64) -> Bool
    ) throws(StorageError) {
        lock = try DirectoryHold(directory)
        path = directory + "/log/data.mdb"
        file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        journal = try JournalRemains.read(directory + "/log.journal")
        journal.withBytes { bytes in
            RecordScanner.run(bytes) { candidates.append(Candidate(position: $0, rank: .journal, offset: $1)) }
        }
        try search(progress)
        candidates.sort { ($0.position, $0.rank.rawValue) < ($1.position, $1.rank.rawValue) }
    }

    /// The last position at which a record was found.
    package var head: Position { Position(candidates.last?.position ?? 0) }

    /// Visits every position from 1 to the head.
    ///
    /// - Parameter visit: returns false if it cannot take an intact event, since that does not follow those before it;
    ///   the position is visited once more, as a lost event.
    /// - Throws: the error of the visitor.
    package func run<Failure: Error>(
        _ visit: (Event) throws(Failure) -> Bool
    ) throws(Failure) {
        var lost = LostEvents()
        var orders: [ErasureOrder] = []
        forEachPosition { _, record, _ in
            guard let record else { return }
            lost.add(record)
            if let order = ErasureOrder(record) { orders.append(order) }
        }
        for order in orders { mask.add(order) }
        lost.begin()
        // A log that was salvaged before has a stream of lost events already.
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

    /// Visits a record, which is valid until `visit` returns; false if it cannot be read any more.
    private func visitRecord(_ candidate: Candidate, _ visit: (UInt64, EventRecord?) -> Void) -> Bool {
        guard candidate.rank != .journal else {
            return journal.withBytes { visitRecord($0, candidate.offset, candidate.position, visit) }
        }
        do throws(StorageError) {
            let head = try file.read(EventHeader.size, at: candidate.offset, of: path)
            guard head.count == EventHeader.size else { return false }
            let count = head.withBytes { RecordLayout.count($0) }
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
        do throws(StorageError) {
            let record = try Record.record(in: bytes, from: start, at: position)
            try mask.read(record, at: position) { visit(position, $0) }
            return true
        } catch {
            return false
        }
    }

    private func search(_ progress: (UInt64, UInt64) -> Bool) throws(StorageError) {
        let (used, isWhole) = UsedPages.find(path)
        let size = try file.size(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: LogSalvage.piece, alignment: 4_096)
        defer { buffer.deallocate() }
        var start = 0
        while start < size {
            let count = file.readGood(into: buffer, at: start, of: path)
            let isLast = start + count >= size
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            // Records that begin in the overlap are searched with the next piece.
            let end = isLast ? count : count - LogSalvage.overlap
            RecordScanner.run(bytes) { position, offset in
                guard offset < end else { return }
                let rank = used.contains(start + offset) ? Rank.used : .unused
                candidates.append(Candidate(position: position, rank: rank, offset: start + offset))
            }
            if isLast { break }
            start += end
            guard progress(UInt64(start), UInt64(size)) else { throw .failed("the search was ended") }
        }
        guard isWhole else { return }
        // Unused candidates after the last record of the newest commit or the journal were never committed.
        let last = candidates.lazy.filter { $0.rank != .unused }.map(\.position).max() ?? 0
        candidates.removeAll { $0.rank == .unused && $0.position > last }
    }
}

/// The pages of an environment's newest commit, as far as they can be found.
private final class UsedPages: PageVisitor {
    private var pageSize = 4_096
    private var pages: Set<UInt64> = []

    /// Finds the pages.
    ///
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

    func enters(_ page: UInt64, _ count: UInt64) -> Bool {
        for number in page..<page + count { pages.insert(number) }
        return true
    }
}
