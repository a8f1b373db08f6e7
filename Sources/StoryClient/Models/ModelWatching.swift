import StoryCore

extension ModelCollection {
    /// Watches the row with an ID: returns it as it is now, and each of its changes as it becomes durable. After another
    /// definition took over it is watched again, which `restarted` reports.
    ///
    /// - Parameter id: the parts of the row's key, percent-encoded, with `/` between them.
    public func watch(_ id: String) -> LiveChanges<RowChange<Row>> {
        client.watch("\(name)/\(id)") { json throws(ClientError) in try StoreDecoder.decode(Row.self, json) }
    }
}
