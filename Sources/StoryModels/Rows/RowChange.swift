package import StoryCore

/// What folding an event made of one row. The bytes are lent for as long as whoever publishes the change says.
package struct RowChange: BitwiseCopyable {
    package let kind: KindPlan
    /// The row's number: the order in which rows were posted.
    package let number: UInt64
    package let id: UnsafeRawBufferPointer
    /// Nil where there was no row.
    package let before: RowView?
    /// Nil where there is none any more.
    package let after: RowView?
    /// The fields that may have changed, one bit each.
    package let fields: UInt64

    package init(
        kind: KindPlan, number: UInt64, id: UnsafeRawBufferPointer, before: RowView?, after: RowView?, fields: UInt64
    ) {
        self.kind = kind
        self.number = number
        self.id = id
        self.before = before
        self.after = after
        self.fields = fields
    }
}

/// An entry of a set that an event puts or removes; the name is lent.
struct MembershipEntry: BitwiseCopyable {
    let table: UInt8
    /// The number of the row whose set it is.
    let number: UInt64
    let name: UnsafeRawBufferPointer
    let isPut: Bool
}

/// What a fold made of an event.
enum FoldOutcome: BitwiseCopyable {
    /// The event is of a type that the kind does not have, or its data is not what the type promises.
    case misfit
    case fitting(RowChange?, MembershipEntry?)
}

/// An event as a fold wants it; its bytes are lent.
package struct FoldedEvent {
    package let position: Position
    package let version: Version
    package let time: Instant
    /// The number of its stream, which is that of the row.
    package let number: UInt64
    /// The ID in the name of its stream.
    package let id: UnsafeRawBufferPointer
    package let type: UnsafeRawBufferPointer

    package init(
        position: Position, version: Version, time: Instant, number: UInt64, id: UnsafeRawBufferPointer,
        type: UnsafeRawBufferPointer
    ) {
        self.position = position
        self.version = version
        self.time = time
        self.number = number
        self.id = id
        self.type = type
    }

    /// - Parameter idStart: where in the stream's name the ID begins.
    init(_ record: EventRecord, idStart: Int) {
        position = record.position
        version = record.version
        time = record.time
        number = record.streamNumber.value
        id = UnsafeRawBufferPointer(
            rebasing: record.json[record.stream.lowerBound + idStart..<record.stream.upperBound])
        type = UnsafeRawBufferPointer(rebasing: record.json[record.type])
    }
}
