import StoryCore

/// The rows of a declared model, decoded as a type of the program's own.
public struct ModelCollection<Row: Decodable & Sendable>: Sendable {
    /// The store.
    public let client: StoreClient
    /// The name of the model.
    public let name: String

    /// Returns the row with an ID, as it is now or as it was.
    ///
    /// - Parameters:
    ///   - id: the parts of the row's key, percent-encoded, with `/` between them.
    ///   - point: a position up to the log's end, or a moment; nil: now.
    /// - Throws: `ClientError`, `notFound` where there is none; or `CancellationError`.
    public func get(_ id: String, at point: LogPoint? = nil) async throws -> Row {
        let reply = try await client.ask(RequestLine(.get, "\(name)/\(id)").option("at", point?.option))
        return try StoreDecoder.decode(Row.self, reply.final.json)
    }

    /// Returns a page of the rows that pass filters.
    ///
    /// - Parameters:
    ///   - filters: the values of fields, by their names.
    ///   - sort: a sort of the definition; nil: the order in which rows were made.
    ///   - order: nil: descending.
    ///   - since: the least value of the sort; nil: no bound.
    ///   - until: the value before which the values end; nil: no bound.
    ///   - limit: 1–1,000 rows; nil: 50.
    ///   - after: the `next` of the page before, with the same filters, sort and order.
    /// - Throws: `ClientError` or `CancellationError`.
    public func list(
        _ filters: [String: String] = [:], sort: String? = nil, order: Order? = nil, since: String? = nil,
        until: String? = nil, limit: Int? = nil, after: String? = nil
    ) async throws -> Page<Row> {
        let line = rows(.read(.list), filters).option("sort", sort).option("order", order?.rawValue)
            .option("since", since).option("until", until).option("limit", limit.map(String.init))
            .option("after", after)
        return try Page(await client.ask(line))
    }

    /// Returns all rows that pass filters, fetched page by page on demand.
    public func all(
        _ filters: [String: String] = [:], sort: String? = nil, order: Order? = nil, pageSize: Int = 500
    ) -> Rows<Row> {
        Rows { try await list(filters, sort: sort, order: order, limit: pageSize, after: $0?.next) }
    }

    /// Returns the number of rows that pass filters.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func count(_ filters: [String: String] = [:]) async throws -> UInt64 {
        try StoreDecoder.decode(CountEnd.self, try await client.ask(rows(.read(.count), filters)).final.json).count
    }

    /// Watches the row with an ID: returns it as it is now, and each of its changes as it becomes durable. After another
    /// definition took over it is watched again, which `restarted` reports.
    ///
    /// - Parameter id: the parts of the row's key, percent-encoded, with `/` between them.
    public func watch(_ id: String) -> LiveChanges<RowChange<Row>> {
        LiveChanges(client, row: "\(name)/\(id)") { json throws(ClientError) in try StoreDecoder.decode(Row.self, json)
        }
    }

    /// Watches a list: returns the rows that pass filters, and each change of the list as it becomes durable. After another
    /// definition took over the list is watched again, which `restarted` reports.
    ///
    /// - Parameter filters: the values of fields, by their names.
    public func live(_ filters: [String: String] = [:]) -> LiveChanges<ListChange<Row>> {
        LiveChanges(client, list: rows(.follow(.subscribe), filters)) { json throws(ClientError) in
            try StoreDecoder.decode(Row.self, json)
        }
    }

    /// Writes content of a built-in kind, as `MODELS` describes the writes of that.
    ///
    /// - Parameters:
    ///   - verb: the name of the verb.
    ///   - id: the ID of the content; nil for new content.
    ///   - form: the fields; nil for a verb without a form.
    ///   - version: the version that the content must be at; nil: any.
    /// - Throws: `ClientError` or `CancellationError`.
    package func write(
        _ verb: String, _ id: String? = nil, form: JSONText? = nil, version: UInt64? = nil
    ) async throws -> Receipt {
        guard let verb = Verb(name: verb), verb.isWrite else { throw ClientError.notEncodable("\(verb) is no write") }
        let line = RequestLine(verb, id.map { "\(name)/\($0)" } ?? name).write(nil, version)
        return try await client.write(form.map(line.body) ?? line)
    }

    private func rows(_ verb: Verb, _ filters: [String: String]) -> RequestLine {
        filters.sorted { $0.key < $1.key }.reduce(RequestLine(verb, name)) { $0.option($1.key, $1.value) }
    }
}
