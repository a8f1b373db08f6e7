/// The outside world failed; not the client, and not this program.
package enum StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The disk or the map is full: nothing was written, reading goes on.
    case full(String)
    /// What is stored is not what was written, from this position on where it is known.
    case corrupt(String, at: Position?)
    /// The system refused; whether the last write is on the disk is unknown.
    case failed(String)
    /// Another process holds the data directory.
    case held(String)

    /// The sentence for a person.
    package var description: String {
        switch self {
        case .full(let reason), .failed(let reason), .held(let reason), .corrupt(let reason, nil): reason
        // Most reasons name the position already.
        case .corrupt(let reason, let position?):
            reason.contains("position \(position.value)") ? reason : "position \(position.value): \(reason)"
        }
    }
}

/// The append-only log, seen by what reads it.
package protocol EventLogReading: AnyObject {
    /// The last event, written in this turn or before; zero when there is none.
    var head: Position { get }
    /// When the last event was written; nil when there is none.
    var lastTime: Instant? { get }
    /// The events at these positions in the order given; a position past the head ends the reading.
    func events(at positions: [Position]) throws(StorageError) -> [Event]
    /// The last position whose event was written at or before a time; zero when there is none.
    func position(at time: Instant) throws(StorageError) -> Position
}

/// The folded tables, each an ordered map from bytes to bytes.
package protocol ModelStore: AnyObject {
    func value(in table: Table, at key: [UInt8]) -> [UInt8]?
    func put(_ value: [UInt8], in table: Table, at key: [UInt8])
    func remove(in table: Table, at key: [UInt8])
    /// Changes a kept count, six bytes; a count that comes to zero is not kept, so that counts are a function of what
    /// they count.
    func add(_ change: Int64, in table: Table, at key: [UInt8])
    /// Makes a value longer by these bytes; one that is not there begins with them.
    func append(_ bytes: [UInt8], in table: Table, at key: [UInt8])
    /// Visits the entries of a range in order until `visit` answers false.
    func scan(
        _ table: Table, _ range: KeyRange, _ order: Order, _ visit: (_ key: [UInt8], _ value: [UInt8]) -> Bool)
    /// As `value`, lending the bytes where they lie: they die when `body` returns. False when there are none.
    @discardableResult
    func lend(_ table: Table, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool
    /// As `scan`, lending the bytes where they lie: they die when `visit` returns.
    func walk(
        _ table: Table, _ range: KeyRange, _ order: Order,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool)
}

extension ModelStore {
    @discardableResult
    package func lend(
        _ table: Table, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard let value = value(in: table, at: Array(key)) else { return false }
        value.withUnsafeBytes(body)
        return true
    }

    package func walk(
        _ table: Table, _ range: KeyRange, _ order: Order,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        scan(table, range, order) { key, value in
            key.withUnsafeBytes { key in value.withUnsafeBytes { visit(key, $0) } }
        }
    }
}

/// The keys from `lower` on, before `upper`; nil: without end.
package struct KeyRange: Equatable, Sendable {
    package var lower: [UInt8]
    package var upper: [UInt8]?

    package init(lower: [UInt8] = [], upper: [UInt8]? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key that begins with these bytes.
    package init(prefix: [UInt8]) { self.init(lower: prefix, upper: KeyRange.end(of: prefix)) }

    /// The first key after all that begin with these bytes; nil where there is none.
    package static func end(of prefix: [UInt8]) -> [UInt8]? {
        var bytes = prefix
        while let last = bytes.popLast() {
            if last < 0xFF {
                bytes.append(last + 1)
                return bytes
            }
        }
        return nil
    }
}
