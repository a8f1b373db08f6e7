/// A part of a long answer.
public struct Page<Row: Sendable>: Sendable {
    /// The rows; perhaps fewer than were asked for, perhaps none.
    public let rows: [Row]
    /// What to go on with; nil at the end. There may be more although there are no rows.
    public let next: String?
    /// The position that the whole page rests on.
    public let position: UInt64
    /// The history that it is of; nil where it is not known.
    var log: String?
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

    /// The page behind another one; nil: the first one.
    let page: @Sendable (_ before: Page<Row>?) async throws -> Page<Row>

    /// Walks through the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let page: @Sendable (Page<Row>?) async throws -> Page<Row>
        private var current: Page<Row>?
        private var index = 0

        init(_ page: @escaping @Sendable (Page<Row>?) async throws -> Page<Row>) { self.page = page }

        /// The next row; nil at the end.
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
