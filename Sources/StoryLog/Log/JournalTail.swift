import Glibc
import StoryCore
import StoryStorage

/// The events that the journal holds and the log's environment does not, as a copy that does not change.
///
/// Unchecked: nobody writes to the memory after it was made.
final class JournalTail: @unchecked Sendable {
    /// The position of the first one.
    let first: UInt64
    /// When the last of them was written, where that was found out.
    let lastTime: Instant?
    private let bytes: UnsafeRawBufferPointer
    private let places: [Range<Int>]

    /// Copies the bytes in which the records lie; nil when there are none.
    init?(_ bytes: UnsafeRawBufferPointer, _ places: [Range<Int>], first: UInt64, lastTime: Instant? = nil) {
        guard !places.isEmpty else { return nil }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyMemory(from: bytes)
        self.bytes = UnsafeRawBufferPointer(copy)
        self.places = places
        self.first = first
        self.lastTime = lastTime
    }

    deinit { bytes.deallocate() }

    var last: UInt64 { first + UInt64(places.count) - 1 }

    func holds(_ position: UInt64) -> Bool { position >= first && position <= last }

    /// The record at a position that is held; it stays where it is as long as this does.
    func record(at position: UInt64) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[places[Int(position - first)]])
    }

    /// What a journal holds after the end of its log, read from its file; nil when it holds nothing or is not there.
    static func read(
        at path: String, after state: LogState, _ hasher: SealHasher
    ) throws(StorageError) -> JournalTail? {
        guard Folder.exists(path) else { return nil }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        return try CommitJournal.read(file, path, state.header.storeID).withBytes { (bytes) throws(StorageError) in
            let contents = try JournalContents(bytes, after: state, hasher)
            return JournalTail(bytes, contents.records, first: state.head.next.value, lastTime: contents.lastTime)
        }
    }
}
