import StoryCore

/// A change of one row.
public enum RowChange<Row: Sendable>: Sendable {
    /// The connection was lost, or the reader fell far behind, and the row is watched again; its current state comes
    /// next.
    case restarted
    /// The row as it is after the event at a position.
    case row(Row, position: UInt64)
    /// The row does not exist, or no longer.
    case absent(position: UInt64)
    /// The first state of the row was sent; later changes are live.
    case caughtUp(UInt64)
}

extension RowChange: Equatable where Row: Equatable {}

/// A change of the rows of a list.
public enum ListChange<Row: Sendable>: Sendable {
    /// The connection was lost, or the reader fell far behind, and the list is watched again. Its current rows come
    /// next, up to `caughtUp`: rows that are not among them left it meanwhile.
    case restarted
    /// A row of the list as it is after the event at a position: it was there at the beginning, entered or changed.
    case row(Row, position: UInt64)
    /// The row with this ID left the list or was deleted.
    case removed(id: String, position: UInt64)
    /// Every row of the beginning was sent; later changes are live.
    case caughtUp(UInt64)
}

extension ListChange: Equatable where Row: Equatable {}

/// A sequence of changes of a row or a list, without end but for that of a temporary ``Store``. After a lost connection, when the store ends the
/// subscription, or when its reader fell far behind, it is watched again, which `restarted` reports.
///
/// Leaving the loop, or cancelling its task, ends the subscription. A slow reader gets the newest state.
public struct LiveChanges<Change: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Change
    public typealias Failure = any Error

    /// A push whose row is not decoded yet.
    enum Pushed: Sendable {
        case restarted
        case row([UInt8], position: UInt64)
        case absent(position: UInt64)
        case removed(id: String, position: UInt64)
        case caughtUp(UInt64)
    }

    let dialer: Dialer
    let request: RequestLine
    /// Makes the change of a push; nil for a push without one.
    let change: @Sendable (Pushed) throws -> Change?

    /// The iterator over the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: PushStream
        private let changes: LiveChanges
        private var hasBegun = false
        private var isOver = false

        init(_ changes: LiveChanges) {
            self.changes = changes
            stream = PushStream(changes.dialer)
        }

        /// Returns the next change; waits until there is one.
        ///
        /// - Throws: `ClientError` or `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Change? {
            guard !isOver else { return nil }
            do {
                while true {
                    let (line, stream) = (changes.request, stream)
                    guard let step = try await stream.next({ line }) else {
                        isOver = true
                        return nil
                    }
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
            // The store sends the newest state of each row, so nothing is missed.
            case .behind: return nil
            case .again: return .restarted
            case .ended: return nil
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    private static func read(_ json: [UInt8]) throws(ClientError) -> Pushed {
        if let members = JSONMembers(json), let position = members.number("position") {
            if let id = members.text("removed") { return .removed(id: id, position: position) }
            if let row = members["row"] {
                return row.elementsEqual("null".utf8)
                    ? .absent(position: position) : .row(Array(row), position: position)
            }
        }
        throw .notUnderstood(String(decoding: json.prefix(1_000), as: UTF8.self))
    }
}

// Rows that are decoded.
extension LiveChanges {
    /// Creates the changes of a row.
    init<Row: Sendable>(
        _ client: StoreClient, row target: String,
        _ decode: @escaping @Sendable ([UInt8]) throws(ClientError) -> Row
    ) where Change == RowChange<Row> {
        let request = RequestLine(.subscribe, target).minimum(client.minimum)
        self.init(dialer: client.dialer, request: request) { pushed in
            switch pushed {
            case .restarted: .restarted
            case .row(let json, let position): .row(try decode(json), position: position)
            case .absent(let position): .absent(position: position)
            case .caughtUp(let position): .caughtUp(position)
            case .removed: nil
            }
        }
    }

    /// Creates the changes of a list.
    init<Row: Sendable>(
        _ client: StoreClient, list request: RequestLine,
        _ decode: @escaping @Sendable ([UInt8]) throws(ClientError) -> Row
    ) where Change == ListChange<Row> {
        self.init(dialer: client.dialer, request: request.minimum(client.minimum)) { pushed in
            switch pushed {
            case .restarted: .restarted
            case .row(let json, let position): .row(try decode(json), position: position)
            case .removed(let id, let position): .removed(id: id, position: position)
            case .caughtUp(let position): .caughtUp(position)
            case .absent: nil
            }
        }
    }
}
