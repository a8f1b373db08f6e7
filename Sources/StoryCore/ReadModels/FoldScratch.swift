/// Memory that folding writes keys and values in, again and again, so that an entry costs no allocation.
struct FoldScratch: ~Copyable {
    var key = KeyWriter()
    var value = KeyWriter()
    var record = RecordWriter()
    var before = IndexEntry()
    var after = IndexEntry()
}
