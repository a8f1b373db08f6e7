/// One step of what an event does to its row. Fields are named by their index in the schema.
package enum FieldChange: Equatable, Sendable {
    /// Sets the field from a member of the event's data; without it the event is a misfit.
    case set(field: Int, from: String)
    /// Sets the field from a member where that is given.
    case setIfGiven(field: Int, from: String)
    /// Sets a date from a member, where that is not given from the event's own time.
    case setOrTime(field: Int, from: String)
    /// Sets a date from the event's own time.
    case setTime(field: Int)
    /// Adds to an integer, which never falls below 0.
    case add(field: Int, Int64)
    case setFlag(field: Int, Bool)

    /// The field that is changed.
    package var field: Int {
        switch self {
        case .set(let field, _), .setIfGiven(let field, _), .setOrTime(let field, _), .setTime(let field),
            .add(let field, _), .setFlag(let field, _):
            field
        }
    }

    /// The member of the event's data that it looks at; nil when it looks at none.
    package var member: String? {
        switch self {
        case .set(_, let member), .setIfGiven(_, let member), .setOrTime(_, let member): member
        case .setTime, .add, .setFlag: nil
        }
    }
}

/// An entry that an event puts into a set or takes out of it, whatever became of the row.
///
/// The entry's key is the row's number and the name in a member of the event's data; its value is empty.
package struct MembershipChange: Equatable, Sendable {
    package let table: ModelTable
    /// The member with the name; without it the event is a misfit.
    package let member: String
    /// True when the entry is put, false when it is removed.
    package let isPut: Bool

    package init(_ table: ModelTable, member: String, isPut: Bool) {
        self.table = table
        self.member = member
        self.isPut = isPut
    }
}

/// What an event of one type does to the row of its stream.
package struct EventSchema: Equatable, Sendable {
    package enum Effect: BitwiseCopyable, Equatable, Sendable {
        /// Makes the row, as the first event of the stream only; later it leaves everything as it is.
        case creates
        /// Changes a row that is there.
        case changes
        /// Removes the row.
        case removes
    }

    /// The event's type: `StoryPosted`.
    package let type: String
    package let effect: Effect
    package let changes: [FieldChange]
    package let membership: MembershipChange?

    package init(
        _ type: String, _ effect: Effect, _ changes: [FieldChange] = [], membership: MembershipChange? = nil
    ) {
        self.type = type
        self.effect = effect
        self.changes = changes
        self.membership = membership
    }

    /// The same with a type that the program writes itself.
    init(
        _ type: EventType, _ effect: Effect, _ changes: [FieldChange] = [], membership: MembershipChange? = nil
    ) {
        self.init(type.description, effect, changes, membership: membership)
    }
}
