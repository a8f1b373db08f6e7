/// A part of a long result.
public struct Page<Row: Sendable>: Sendable {
    /// The rows; possibly fewer than were asked for, possibly none.
    public let rows: [Row]
    /// The cursor of the next page; nil at the end. A page without rows may have a next one.
    public let next: String?
    /// The position of the log that the whole page reflects.
    public let position: UInt64
    /// The history of the log; nil where it is not known.
    var log: String?

    /// Creates a page.
    package init(rows: [Row], next: String?, position: UInt64, log: String? = nil) {
        (self.rows, self.next, self.position, self.log) = (rows, next, position, log)
    }
}

extension Page: Equatable where Row: Equatable {}

/// The line that closes a page; `next` is text or a number.
struct PageEnd: Decodable {
    let next: JSONValue?
    let position: UInt64

    var nextText: String? {
        switch next {
        case .string(let text): text
        case .integer(let number): String(number)
        case nil, .null, .bool, .number, .array, .object: nil
        }
    }
}

extension Page where Row: Decodable {
    /// Reads a page from the reply to a request.
    init(_ reply: StoreReply) throws {
        let end = try StoreDecoder.decode(PageEnd.self, reply.final.json)
        let rows = try reply.rows.map { try StoreDecoder.decode(Row.self, $0.json) }
        self.init(rows: rows, next: end.nextText, position: end.position)
    }
}

/// A sequence of all rows of a long result, fetched page by page on demand.
public struct Rows<Row: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Row
    public typealias Failure = any Error

    /// Fetches the page after another one; nil: the first one.
    let page: @Sendable (_ before: Page<Row>?) async throws -> Page<Row>

    /// The iterator over the rows of all pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let page: @Sendable (Page<Row>?) async throws -> Page<Row>
        private var current: Page<Row>?
        private var index = 0

        init(_ page: @escaping @Sendable (Page<Row>?) async throws -> Page<Row>) { self.page = page }

        /// Returns the next row; nil at the end.
        ///
        /// - Throws: `ClientError` or `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Row? {
            while true {
                if let current {
                    if index < current.rows.count {
                        defer { index += 1 }
                        return current.rows[index]
                    }
                    guard current.next != nil else { return nil }
                }
                current = try await page(current)
                index = 0
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(page) }

    /// Returns all rows, for results that are known to be short.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func collected() async throws -> [Row] {
        var rows: [Row] = []
        for try await row in self { rows.append(row) }
        return rows
    }
}

/// The order of rows or events: smallest or greatest first.
public enum Order: String, Hashable, Sendable {
    case ascending = "asc"
    case descending = "desc"
}
