package import StoryCore

/// The change of one row by an event; its bytes are valid for as long as its publisher says.
package struct RowChange: BitwiseCopyable {
    /// The plan of the row's kind.
    package let kind: KindPlan
    /// The row's number: the order in which rows were posted.
    package let number: UInt64
    /// The row's key.
    package let key: UnsafeRawBufferPointer
    /// The position of the event.
    package let position: Position
    /// The row before the event; nil where there was none.
    package let before: RowView?
    /// The row after the event; nil where it was removed.
    package let after: RowView?
    /// The fields that may have changed, one bit each.
    package let fields: UInt64

    /// Creates a change.
    package init(
        kind: KindPlan, number: UInt64, key: UnsafeRawBufferPointer, position: Position, before: RowView?,
        after: RowView?, fields: UInt64
    ) {
        (self.kind, self.number, self.key, self.position) = (kind, number, key, position)
        (self.before, self.after, self.fields) = (before, after, fields)
    }

    /// Returns the change of the same row between other states, of which one has no row.
    func with(before: RowView?, after: RowView?) -> RowChange {
        let row = after ?? before
        return RowChange(
            kind: kind, number: row?.number ?? number, key: key, position: position, before: before, after: after,
            fields: .max)
    }
}

/// An entry of a set that an event puts or removes; the name is valid for as long as the event's data.
struct MembershipWrite: BitwiseCopyable {
    let table: UInt8
    /// The number of the row that has the set.
    let number: UInt64
    let name: UnsafeRawBufferPointer
    let isPut: Bool
}

/// The outcome of folding an event.
enum FoldOutcome: BitwiseCopyable {
    /// The kind has no event of this type, or the data does not fit the type.
    case misfit
    case fitting(RowChange?, MembershipWrite?)
}

/// The parts of an event that a fold reads; its bytes are valid for as long as the record's.
struct FoldedEvent {
    let position: Position
    let version: Version
    let time: Instant
    /// The number of its stream, which is that of the row.
    let number: UInt64
    /// The ID in the name of its stream.
    let id: UnsafeRawBufferPointer
    let type: UnsafeRawBufferPointer

    /// Reads the parts of a record.
    ///
    /// - Parameter idStart: the offset of the ID in the stream's name.
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
