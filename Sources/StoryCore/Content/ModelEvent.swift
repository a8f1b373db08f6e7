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
