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

/// The position of a cursor's share, as receipts have it.
package struct CursorPlace: Equatable, Sendable {
    /// The number of the share.
    package let share: UInt8
    /// The position that every event of the share through it is done at.
    package let at: Position

    /// Creates the position of a share.
    package init(share: UInt8 = 1, at: Position) { (self.share, self.at) = (share, at) }
}

/// The move of a cursor that an event has as a member: `billing/1@1042`.
package struct CursorMove {
    /// The name of the cursor.
    package let name: UnsafeRawBufferPointer
    /// The position of the event that is done.
    package let event: Position

    /// Reads the member of an event; nil where it is none.
    package init?(_ text: UnsafeRawBufferPointer) {
        guard let slash = text.firstIndex(of: 0x2F), slash > 0, let mark = text.firstIndex(of: 0x40), mark > slash + 1,
            let number = UInt64(String(decoding: text.slice(mark + 1, count: text.count - mark - 1), as: UTF8.self))
        else { return nil }
        (name, event) = (text.slice(0, count: slash), Position(number))
    }

    /// Returns the text of a move of the only share.
    package static func text(_ mark: CursorMark) -> ByteView {
        ByteView(mark.cursor.bytes + Array("/1@\(mark.event.value)".utf8))
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
