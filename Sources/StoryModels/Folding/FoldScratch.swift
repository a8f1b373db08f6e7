import StoryCore

/// Memory that folding writes keys and values in, again and again, so that an entry costs no allocation.
struct FoldScratch<Bytes: ByteWriting>: ~Copyable {
    var key: KeyWriterOf<Bytes>
    var value: KeyWriterOf<Bytes>
    /// Positions that stand in one entry.
    var places: KeyWriterOf<Bytes>
    var record: RecordWriter<Bytes>
    var before: IndexEntry<Bytes>
    var after: IndexEntry<Bytes>

    init(_ make: () -> Bytes) {
        key = KeyWriterOf(make())
        value = KeyWriterOf(make())
        places = KeyWriterOf(make())
        record = RecordWriter(make())
        before = IndexEntry(make())
        after = IndexEntry(make())
    }
}

extension FoldScratch where Bytes == ScratchBytes {
    func free() {
        for writer in [key, value, places, before.key, after.key] { writer.bytes.free() }
        record.bytes.free()
    }
}
