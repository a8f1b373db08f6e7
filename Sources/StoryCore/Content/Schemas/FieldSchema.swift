/// The type of a row's field.
package enum FieldType: Equatable, Sendable {
    /// A text that a person wrote, in any UTF-8.
    case text
    /// An ID: 1–64 bytes of the alphabet.
    case name
    /// A signed whole number of 64 bits.
    case integer
    /// A finite double.
    case number
    /// A moment in UTC, to the millisecond.
    case date
    /// True or false; until an event sets it false, or absent where it is optional.
    case flag
    /// A fraction above zero, two numbers of 32 bits, in its original spelling: `1/125`.
    case fraction
    /// A decimal number of 18 digits.
    case decimal
    /// Several values in their order; none until an event sets it.
    case list(PackedScalar)
    /// Values by text keys, in the order of the keys' bytes.
    case map(PackedScalar)
    /// One of these words, at most 256 of them.
    case choice([String])
}

/// The part that the user of a field has in a row.
package enum PersonRole: Equatable, Sendable {
    /// Sent or owns it.
    case owner
    /// Received it.
    case receiver
}

/// One field of a kind's rows.
package struct FieldSchema: Equatable, Sendable {
    /// The member's name in the row's JSON.
    package let name: String
    /// The type of the field.
    package let type: FieldType
    /// True when rows may lack it; the JSON then has no such member.
    package let isOptional: Bool
    /// The name for people; nil where that is `name`.
    package let label: String?
    /// The unit of its numbers; one that ends with a slash precedes them. Nil where there is none.
    package let unit: String?
    /// The part of the user whose ID it is; nil for a field of another type.
    package let role: PersonRole?
    /// True for a text whose words `FIND` looks for.
    package let isSearched: Bool

    /// Creates a field.
    package init(
        _ name: String, _ type: FieldType, isOptional: Bool = false, label: String? = nil, unit: String? = nil,
        role: PersonRole? = nil, isSearched: Bool = false
    ) {
        (self.name, self.type, self.isOptional, self.label, self.unit) = (name, type, isOptional, label, unit)
        (self.role, self.isSearched) = (role, isSearched)
    }
}

/// One change of an event to a field of its row. Fields are named by their index in the schema.
package enum FieldChange: Equatable, Sendable {
    /// Sets the field from a member of the event's data; an event without the member is a misfit.
    case set(field: Int, from: String)
    /// Sets the field from a member where there is one.
    case setIfGiven(field: Int, from: String)
    /// Sets a date from a member, or from the event's own time where there is none.
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

    /// The member of the event's data that the change reads; nil when it reads none.
    package var member: String? {
        switch self {
        case .set(_, let member), .setIfGiven(_, let member), .setOrTime(_, let member): member
        case .setTime, .add, .setFlag: nil
        }
    }
}

/// An entry that an event adds to a set or removes from it, even when the row does not exist.
///
/// The entry's key is the row's number and the name in a member of the event's data; its value is empty.
package struct MembershipChange: Equatable, Sendable {
    /// The table of the set.
    package let table: ModelTable
    /// The member with the name; an event without it is a misfit.
    package let member: String
    /// True when the entry is added, false when it is removed.
    package let isPut: Bool
}

/// The effect of an event of one type on the row of its stream.
package struct EventSchema: Equatable, Sendable {
    /// The effect on the row as a whole.
    package enum Effect: BitwiseCopyable, Equatable, Sendable {
        /// Creates the row as the first event of the stream; a later one changes nothing.
        case creates
        /// Changes a row that exists.
        case changes
        /// Removes the row.
        case removes
    }

    /// The event's type: `StoryPosted`.
    package let type: String
    /// The effect on the row as a whole.
    package let effect: Effect
    /// The changes to the row's fields, in order.
    package let changes: [FieldChange]
    /// The change of a set; nil where there is none.
    package let membership: MembershipChange?

    /// Creates a schema.
    package init(
        _ type: String, _ effect: Effect, _ changes: [FieldChange] = [], membership: MembershipChange? = nil
    ) {
        self.type = type
        self.effect = effect
        self.changes = changes
        self.membership = membership
    }

    /// Creates a schema for a type that the program writes itself.
    init(
        _ type: EventType, _ effect: Effect, _ changes: [FieldChange] = [], membership: MembershipChange? = nil
    ) {
        self.init(type.description, effect, changes, membership: membership)
    }
}
