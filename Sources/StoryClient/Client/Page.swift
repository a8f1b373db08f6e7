/// A part of a long answer.
public struct Page<Row: Sendable>: Sendable {
    /// The rows; perhaps fewer than were asked for, perhaps none.
    public let rows: [Row]
    /// What to go on with; nil at the end. There may be more although there are no rows.
    public let next: String?
    /// The position that the whole page rests on.
    public let position: UInt64
}

extension Page: Equatable where Row: Equatable {}

/// What closes a page; `next` is text or a number.
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

/// All rows of a long answer, fetched page by page as they are asked for.
public struct Rows<Row: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Row
    public typealias Failure = any Error

    let page: @Sendable (_ after: String?) async throws -> Page<Row>

    /// Walks through the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let page: @Sendable (String?) async throws -> Page<Row>
        private var rows: [Row] = []
        private var index = 0
        private var next: String?
        private var isAtEnd = false

        init(_ page: @escaping @Sendable (String?) async throws -> Page<Row>) { self.page = page }

        /// The next row; nil at the end.
        ///
        /// - Throws: `ClientError` or `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Row? {
            while index == rows.count {
                guard !isAtEnd else { return nil }
                let page = try await page(next)
                (rows, index, next) = (page.rows, 0, page.next)
                isAtEnd = page.next == nil
            }
            defer { index += 1 }
            return rows[index]
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(page) }

    /// All of them, for answers that are known to be short.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func collected() async throws -> [Row] {
        var rows: [Row] = []
        for try await row in self { rows.append(row) }
        return rows
    }
}

/// Smallest or greatest first.
public enum Order: String, Hashable, Sendable {
    case ascending = "asc"
    case descending = "desc"
}
