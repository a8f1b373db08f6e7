import Glibc
import StoryCore

/// The events that the journal holds and the log's environment does not, as a copy that does not change.
struct JournalTail: Sendable {
    /// The position of the first one.
    let first: UInt64
    /// When the last of them was written, where that was found out.
    private(set) var lastTime: Instant?
    private let bytes: [UInt8]
    private let places: [Range<Int>]

    /// Nil when there are none.
    init?(_ bytes: [UInt8], _ places: [Range<Int>], first: UInt64) {
        guard !places.isEmpty else { return nil }
        self.bytes = bytes
        self.places = places
        self.first = first
    }

    /// What a journal holds after the end of its log, read from its file; nil when it holds nothing or is not there.
    init?(at path: String, after state: LogState, _ hasher: SealHasher) throws(StorageError) {
        guard Folder.exists(path) else { return nil }
        let bytes = try CommitJournal.read(try FileHandle(path, O_RDONLY | O_NOFOLLOW), path, state.header.storeID)
        let contents = try bytes.withBytes { (bytes) throws(StorageError) in
            try JournalContents(bytes, after: state, hasher)
        }
        self.init(bytes, contents.records, first: state.head.next.value)
        lastTime = contents.lastTime
    }

    var last: UInt64 { first + UInt64(places.count) - 1 }

    func holds(_ position: UInt64) -> Bool { position >= first && position <= last }

    /// Lends the record at a position that is held.
    func record<Result>(
        at position: UInt64, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let place = places[Int(position - first)]
        return try bytes.withBytes { (bytes) throws(StorageError) in
            try body(UnsafeRawBufferPointer(rebasing: bytes[place]))
        }
    }
}
