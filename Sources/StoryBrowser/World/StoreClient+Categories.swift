import StoryClient

// The search for the categories of a store, by the names of their streams.
extension StoreClient {
    /// The greatest ID: no stream of a category comes behind it.
    private static let greatestID = String(repeating: "~", count: 64)

    /// Returns categories in the order of their streams' names: each request skips the streams of the one before.
    ///
    /// - Parameters:
    ///   - category: the category to continue behind; nil: from the first one.
    ///   - limit: the most categories to return.
    func categories(after category: String?, limit: Int) async throws -> Page<String> {
        var names: [String] = []
        var last = category
        var position: UInt64 = 0
        while names.count < limit {
            let after = last.map { "\($0)-\(StoreClient.greatestID)" }
            let page = try await streams(after: after, limit: 1)
            position = page.position
            guard let stream = page.rows.first?.stream else {
                return Page(rows: names, next: nil, position: position)
            }
            let name = String(stream.prefix { $0 != "-" })
            names.append(name)
            last = name
        }
        return Page(rows: names, next: last, position: position)
    }
}
