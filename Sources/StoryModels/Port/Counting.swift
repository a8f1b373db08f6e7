import StoryCore

extension ModelStore {
    package func add(_ change: Int64, in table: Table, at key: [UInt8]) { addPlainly(change, in: table, at: key) }

    /// The plain way: read, change, write. For stores that have a quicker one, where it does not do.
    package func addPlainly(_ change: Int64, in table: Table, at key: [UInt8]) {
        let count = Int64(clamping: CountKey.count(value(in: table, at: key))) + change
        guard count > 0 else { return remove(in: table, at: key) }
        var value = KeyWriter()
        value.number(UInt64(count))
        put(value.bytes, in: table, at: key)
    }

    package func append(_ bytes: [UInt8], in table: Table, at key: [UInt8]) { appendPlainly(bytes, in: table, at: key) }

    /// The plain way: read, make longer, write.
    package func appendPlainly(_ bytes: [UInt8], in table: Table, at key: [UInt8]) {
        put((value(in: table, at: key) ?? []) + bytes, in: table, at: key)
    }
}
