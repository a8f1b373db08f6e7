/// An event of a cursor as requests name it: `billing@1042`.
@usableFromInline
package struct CursorMark: Equatable, Sendable {
    /// The name of the cursor.
    package let cursor: Identifier
    /// The position of the event.
    package let event: Position

    /// Creates a mark.
    package init(_ cursor: Identifier, _ event: Position) { (self.cursor, self.event) = (cursor, event) }
}

/// The name of a share of a cursor: `billing/2`.
package struct CursorShare: Hashable, Sendable {
    /// The name of the cursor.
    package let cursor: Identifier
    /// The number of the share, from 1.
    package let number: UInt8

    /// Creates the name of a share.
    package init(_ cursor: Identifier, _ number: UInt8) { (self.cursor, self.number) = (cursor, number) }
}

/// The position of a cursor's share, as receipts have it.
package struct CursorPlace: Equatable, Sendable {
    /// The number of the share.
    package let share: UInt8
    /// The position that every event of the share through it is done at.
    package let at: Position

    /// Creates the position of a share.
    package init(share: UInt8, at: Position) { (self.share, self.at) = (share, at) }
}

/// The move of a cursor that an event has as a member: `billing/2@1042`.
package struct CursorMove {
    /// The name of the cursor.
    package let name: UnsafeRawBufferPointer
    /// The number of the share, from 1.
    package let share: UInt8
    /// The position of the event that is done.
    package let event: Position

    /// Reads the member of an event; nil where it is none.
    package init?(_ text: UnsafeRawBufferPointer) {
        guard let slash = text.firstIndex(of: 0x2F), slash > 0, let mark = text.firstIndex(of: 0x40), mark > slash + 1,
            let share = UInt8(String(decoding: text.slice(slash + 1, count: mark - slash - 1), as: UTF8.self)),
            let number = UInt64(String(decoding: text.slice(mark + 1, count: text.count - mark - 1), as: UTF8.self))
        else { return nil }
        (name, self.share, event) = (text.slice(0, count: slash), share, Position(number))
    }

    /// Returns the text of the move of a share.
    package static func text(_ share: CursorShare, to event: Position) -> ByteView {
        ByteView(share.cursor.bytes + Array("/\(share.number)@\(event.value)".utf8))
    }
}

/// An event that comes a further time, or comes again after it was parked. It comes alone: nothing is delivered until
/// it is done or parked.
package struct Redelivery: Equatable, Sendable {
    /// The position of the event.
    package let event: Position
    /// The number of the delivery, from 1.
    package let attempt: Int
    /// True for an event that was parked.
    package let isParked: Bool

    /// Creates the announcement of a delivery.
    package init(event: Position, attempt: Int, isParked: Bool = false) {
        (self.event, self.attempt, self.isParked) = (event, attempt, isParked)
    }
}

/// An event that was set aside.
package struct ParkedEvent: Equatable, Sendable {
    /// The greatest length of an error, in characters.
    package static let mostError = 1_000
    /// The most parked events of a cursor.
    package static let most = 10_000

    /// The number of the share, from 1.
    package let share: UInt8
    /// The position of the event.
    package let event: Position
    /// The number of its deliveries.
    package let attempts: Int
    /// The last error that a worker told; nil where it told none.
    package let error: Text?

    /// Creates the data from its fields.
    package init(share: UInt8, event: Position, attempts: Int, error: Text?) {
        (self.share, self.event, self.attempts, self.error) = (share, event, attempts, error)
    }
}
