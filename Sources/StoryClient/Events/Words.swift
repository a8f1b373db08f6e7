import StoryCore

/// The words in the data of the users' own events.
public struct Words: Sendable {
    /// The store.
    public let client: StoreClient

    /// Returns a page of the events with words, newest first. It may be short, or empty, and have a `next` all the same.
    ///
    /// - Parameters:
    ///   - words: the words, all of which must be in an event: `spring -cancelled "two words" wor*`.
    ///   - selection: the events to search.
    ///   - from: the first point, inclusive; in one stream a version.
    ///   - to: the last point, inclusive; in one stream a version.
    ///   - order: nil: descending.
    ///   - limit: 1–1,000 events; nil: 50.
    ///   - types: only events of these types, 64 at most.
    ///   - tags: only events that have all of these tags, 16 at most, none with a comma.
    ///   - query: only events of this query.
    ///   - log: the history that the positions belong to; nil: not checked.
    /// - Throws: `ClientError`, `busy` with `behind` while the index of words is made; or `CancellationError`.
    public func find(
        _ words: String, in selection: EventSelection = .all, from: LogPoint? = nil, to: LogPoint? = nil,
        order: Order? = nil, limit: Int? = nil, types: [String]? = nil, tags: [String]? = nil,
        query: EventQuery? = nil, log: String? = nil
    ) async throws -> Page<Event> {
        let line = RequestLine(.find, selection.events).option("words", words)
            .ranging(from: from, to: to, order, limit: limit)
        return try await client.ask(line.selecting(types, tags: tags, query, log: log)).events()
    }

    /// Returns all events with words, fetched page by page on demand. They belong to one history: if the store has another
    /// one when the next page is fetched, that fails with `diverged`.
    ///
    /// The parameters are those of `find`; a page has 1–1,000 events.
    public func all(
        _ words: String, in selection: EventSelection = .all, from: LogPoint? = nil, to: LogPoint? = nil,
        order: Order? = nil, types: [String]? = nil, tags: [String]? = nil, query: EventQuery? = nil,
        log: String? = nil, pageSize: Int = 200
    ) -> Rows<Event> {
        Rows { before in
            try await self.find(
                words, in: selection, from: before?.nextPoint ?? from, to: to, order: order, limit: pageSize,
                types: types, tags: tags, query: query, log: before?.log ?? log)
        }
    }
}

extension StoreClient {
    /// The words in the data of the users' own events.
    public var words: Words { Words(client: self) }
}

extension ContentCollection where Content: SearchedContent {
    /// Returns a page of the rows with words, the newest words first. It may be short, or empty, and have a `next` all the
    /// same.
    ///
    /// - Parameters:
    ///   - words: the words, all of which must be in a row: `spring -cancelled "two words" wor*`.
    ///   - filter: the filter of the rows.
    ///   - point: the position or the moment that words and rows are of; nil: now.
    ///   - isRanked: true for the best of the newest rows first, in one page.
    ///   - limit: 1–1,000 rows; nil: 50.
    ///   - after: the `next` of the page before, with the same words and filter.
    /// - Throws: `ClientError`, `busy` with `behind` while the index of words is made; or `CancellationError`.
    public func find(
        _ words: String, _ filter: Content.Filter = .init(), at point: LogPoint? = nil, isRanked: Bool = false,
        limit: Int? = nil, after: String? = nil
    ) async throws -> Page<Content> {
        let line = rows(.read(.find), filter).option("words", words).option("at", point?.option)
            .option("sort", isRanked ? "rank" : nil).option("limit", limit.map(String.init)).option("after", after)
        return try Page(await client.ask(line))
    }
}
