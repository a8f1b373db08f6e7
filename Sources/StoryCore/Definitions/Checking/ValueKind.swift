/// The kind of a value, as far as the text tells it. There is none after a fault.
enum ValueKind: String, Sendable {
    case text, number, boolean, time, list, map
    /// `none`.
    case none
    /// A value of the event.
    case any

    /// True for the kinds of one value.
    var isScalar: Bool {
        switch self {
        case .text, .number, .boolean, .time: true
        case .list, .map, .none, .any: false
        }
    }

    /// True for a list or a map.
    var isCollection: Bool { self == .list || self == .map }

    init(_ scalar: ModelFieldType.Scalar) {
        switch scalar {
        case .text: self = .text
        case .number: self = .number
        case .boolean: self = .boolean
        case .time: self = .time
        }
    }

    /// The kind of a field's value.
    init(_ type: ModelFieldType) {
        switch type.shape {
        case .one: self.init(type.scalar)
        case .list, .set, .last: self = .list
        case .map: self = .map
        }
    }
}

extension ModelFieldType.Scalar {
    /// Returns true for the kinds that a field of the type can be set to.
    func takes(_ kind: ValueKind) -> Bool { kind == ValueKind(self) || self == .time && kind == .text }
}

extension ModelFieldType {
    /// Returns true for the kinds that a field of the type can be set to.
    func takes(_ kind: ValueKind) -> Bool { shape == .one ? scalar.takes(kind) : kind == ValueKind(self) }
}

extension EventAttribute {
    /// The kind of the attribute's value.
    var kind: ValueKind {
        switch self {
        case .id, .stream, .category, .type: .text
        case .time: .time
        case .by, .position, .version: .number
        case .tags: .list
        }
    }
}
