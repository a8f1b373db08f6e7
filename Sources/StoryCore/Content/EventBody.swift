/// The fact that an event records.
package enum EventBody: Equatable, Sendable {
    case user(UserEvent)
    case story(StoryEvent)
    case message(MessageEvent)
    case photo(PhotoEvent)
    case model(ModelEvent)
    case erasure(ErasureEvent)
    case cursor(CursorEvent)
    /// A custom event, or one of a type that this program does not know: stored, not folded.
    case custom(EventType, data: ByteView)
}

extension EventBody {
    /// The type that the event is written with.
    package var type: EventType {
        switch self {
        case .user(let event): event.type
        case .story(let event): event.type
        case .message(let event): event.type
        case .photo(let event): event.type
        case .model(let event): event.type
        case .erasure(let event): event.type
        case .cursor(let event): event.type
        case .custom(let type, data: _): type
        }
    }

    /// Writes the members of the event's data.
    package func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .user(let event): event.write(to: &members)
        case .story(let event): event.write(to: &members)
        case .message(let event): event.write(to: &members)
        case .photo(let event): event.write(to: &members)
        case .model(let event): event.write(to: &members)
        case .erasure(let event): event.write(to: &members)
        case .cursor(let event): event.write(to: &members)
        case .custom(_, let data): members.whole(data)
        }
    }
}

/// A writer of an event's data, one member after the other.
package protocol EventMembers: ~Copyable {
    /// Writes a text that a person wrote.
    mutating func text(_ name: StaticString, _ value: Text)
    /// Writes an ID.
    mutating func identifier(_ name: StaticString, _ value: Identifier)
    /// Writes a date.
    mutating func date(_ name: StaticString, _ value: Instant)
    /// Writes a whole number.
    mutating func integer(_ name: StaticString, _ value: Int64)
    /// Writes a number.
    mutating func number(_ name: StaticString, _ value: Double)
    /// Writes a fraction in its original spelling: `1/125`.
    mutating func fraction(_ name: StaticString, _ numerator: UInt32, _ denominator: UInt32)
    /// Writes one name out of a set that the program has.
    mutating func choice(_ name: StaticString, _ value: String)
    /// Writes names in an array.
    mutating func names(_ name: StaticString, _ values: [ByteView])
    /// Writes ranges of positions in an array: `[[12,12],[17,19]]`.
    mutating func positions(_ name: StaticString, _ ranges: [ClosedRange<Position>])
    /// Writes the items of a query: `{"any":[{"stream":"order-*","tags":["vip"],"types":["Placed"]}]}`.
    mutating func queries(_ name: StaticString, _ items: [EventSelection])
    /// Writes data that is JSON already, instead of members of the program's own.
    mutating func whole(_ data: ByteView)
}

/// An event of the store's own in the stream `model-NAME` of a declared model.
package enum ModelEvent: Equatable, Sendable {
    case defined(ModelDefined)
    case activated(ModelActivated)
    case undefined
}

/// The data of `ModelDefined`.
package struct ModelDefined: Equatable, Sendable {
    /// The number of the definition, from 1.
    package let definition: UInt32
    /// The number of the language.
    package let language: Int
    /// The text of the definition.
    package let text: Text

    /// Creates the data from its fields.
    package init(definition: UInt32, language: Int, text: Text) {
        self.definition = definition
        self.language = language
        self.text = text
    }
}

/// The data of `ModelActivated`: the definition answers from this event on.
package struct ModelActivated: Equatable, Sendable {
    /// The number of the definition.
    package let definition: UInt32
    /// The number of its rows.
    package let rows: UInt64
    /// The number of events that did not fit.
    package let misfits: UInt64

    /// Creates the data from its fields.
    package init(definition: UInt32, rows: UInt64, misfits: UInt64) {
        self.definition = definition
        self.rows = rows
        self.misfits = misfits
    }
}

/// The types of these events, each made once.
private enum ModelEventType {
    static let defined = EventType.own("ModelDefined")
    static let activated = EventType.own("ModelActivated")
    static let undefined = EventType.own("ModelUndefined")
}

extension ModelEvent {
    /// The type that the event is written with.
    var type: EventType {
        switch self {
        case .defined: ModelEventType.defined
        case .activated: ModelEventType.activated
        case .undefined: ModelEventType.undefined
        }
    }

    /// Writes the members of the event's data.
    func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .defined(let event):
            members.integer("definition", Int64(event.definition))
            members.integer("language", Int64(event.language))
            members.text("text", event.text)
        case .activated(let event):
            members.integer("definition", Int64(event.definition))
            members.integer("rows", Int64(clamping: event.rows))
            members.integer("misfits", Int64(clamping: event.misfits))
        case .undefined: break
        }
    }
}
