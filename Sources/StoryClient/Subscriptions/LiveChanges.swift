import StoryCore

/// What becomes of one row.
public enum RowChange<Row: Sendable>: Sendable {
    /// The connection was lost, and the row is watched again; how it is now comes next.
    case restarted
    /// The row as it is after the event at a position.
    case row(Row, position: UInt64)
    /// There is no such row, or no more.
    case absent(position: UInt64)
    /// How the row was at the beginning has been told; what comes next is live.
    case caughtUp(UInt64)
}

extension RowChange: Equatable where Row: Equatable {}

/// What becomes of the rows of a list.
public enum ListChange<Row: Sendable>: Sendable {
    /// The connection was lost, and the list is watched again. Every row that it has now comes next, up to `caughtUp`:
    /// those that do not come by then have left it meanwhile.
    case restarted
    /// A row of the list as it is after the event at a position: it was there at the beginning, entered or changed.
    case row(Row, position: UInt64)
    /// The row with this ID left the list or was deleted.
    case removed(id: String, position: UInt64)
    /// Every row of the beginning has been told; what comes next is live.
    case caughtUp(UInt64)
}

extension ListChange: Equatable where Row: Equatable {}

/// Changes of a row or a list, without end. After a lost connection, or an end that the store brings about, it is watched
/// again, which is told.
///
/// Breaking off the loop, or cancelling its task, ends the subscription. A reader that is slow gets the newest state.
public struct LiveChanges<Change: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Change
    public typealias Failure = any Error

    /// What is pushed, but for the values of the rows.
    enum Pushed: Sendable {
        case restarted
        case row([UInt8], position: UInt64)
        case absent(position: UInt64)
        case removed(id: String, position: UInt64)
        case caughtUp(UInt64)
    }

    let dialer: Dialer
    let request: RequestLine
    /// What that means here; nil where nothing.
    let change: @Sendable (Pushed) throws -> Change?

    /// Walks through the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: PushStream
        private let changes: LiveChanges
        private var hasBegun = false
        private var isOver = false

        init(_ changes: LiveChanges) {
            self.changes = changes
            stream = PushStream(changes.dialer)
        }

        /// The next change; waits until there is one.
        ///
        /// - Throws: `ClientError` or `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Change? {
            guard !isOver else { return nil }
            do {
                while true {
                    let (line, stream) = (changes.request, stream)
                    let step = try await stream.next { line }
                    if let pushed = try pushed(step), let change = try changes.change(pushed) { return change }
                }
            } catch {
                isOver = true
                throw error
            }
        }

        private mutating func pushed(_ step: PushStream.Step) throws(ClientError) -> Pushed? {
            switch step {
            case .subscribed:
                defer { hasBegun = true }
                return hasBegun ? .restarted : nil
            case .content(let json): return try LiveChanges.read(json)
            case .caughtUp(let position): return .caughtUp(position)
            // It is told the newest state of everything, so nothing is missed.
            case .behind: return nil
            case .ended: return nil
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    private static func read(_ json: [UInt8]) throws(ClientError) -> Pushed {
        guard let members = JSONMembers(json), let position = members.number("position") else {
            throw .notUnderstood(String(decoding: json.prefix(1_000), as: UTF8.self))
        }
        if let id = members.text("removed") { return .removed(id: id, position: position) }
        guard let row = members["row"] else {
            throw .notUnderstood(String(decoding: json.prefix(1_000), as: UTF8.self))
        }
        return row.elementsEqual("null".utf8) ? .absent(position: position) : .row(Array(row), position: position)
    }
}
