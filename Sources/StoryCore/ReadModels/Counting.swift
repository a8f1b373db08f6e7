extension ModelStore {
    /// The plain way: read, change, write.
    package func add(_ change: Int64, in table: Table, at key: [UInt8]) {
        let count = Int64(clamping: CountKey.count(value(in: table, at: key))) + change
        guard count > 0 else { return remove(in: table, at: key) }
        var value = KeyWriter()
        value.number(UInt64(count))
        put(value.bytes, in: table, at: key)
    }
}
