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

extension SyntaxType {
    /// The type that is written.
    ///
    /// - Throws: the rule that it breaks where there is none.
    var type: ModelFieldType {
        get throws(DefinitionRule) {
            guard let shape = ModelFieldType.Shape(rawValue: name), shape != .one else {
                guard count == nil, innerNumber == nil else { throw .notSelected }
                return ModelFieldType(try SyntaxType.scalar(name, number: inner))
            }
            guard let inner, let count, count.isDigits else { throw .notSelected }
            // A last drops its oldest elements anyway.
            guard beyond == nil || beyond == ModelFieldType.dropWord && shape != .last else { throw .notSelected }
            let scalar = try SyntaxType.scalar(inner, number: innerNumber)
            return ModelFieldType(
                shape, of: scalar, count: try SyntaxType.number(count, to: DefinitionLimits.elements),
                drops: beyond != nil)
        }
    }

    /// The end of the sentence that the type is none: the nearest word, or the types that there are.
    var hint: String {
        let scalars = ["text", "number", "boolean", "time"]
        let collections = ["list", "set", "last", "map"]
        guard (scalars + collections).contains(name) else {
            return NearestName.hint(name, among: scalars + collections) + SyntaxType.all
        }
        guard collections.contains(name), let inner, !scalars.contains(inner) else {
            return NearestName.hint(beyond ?? "", among: [ModelFieldType.dropWord]) + SyntaxType.all
        }
        return NearestName.hint(inner, among: scalars) + SyntaxType.all
    }

    private static let all =
        "; types are text, text(N), number, boolean and time, and list(T, N), set(T, N), last(T, N) and map(T, N) of these"

    private static func scalar(_ name: String, number: String?) throws(DefinitionRule) -> ModelFieldType.Scalar {
        switch (name, number) {
        case ("number", nil): return .number
        case ("boolean", nil): return .boolean
        case ("time", nil): return .time
        case ("text", nil): return .text(DefinitionLimits.usualText)
        case ("text", let digits?) where digits.isDigits:
            return .text(try SyntaxType.number(digits, to: DefinitionLimits.longestText))
        default: throw .notSelected
        }
    }

    /// Returns the number of digits, 1 to a limit.
    private static func number(_ digits: String, to limit: Int) throws(DefinitionRule) -> Int {
        guard let number = Int(digits), 1...limit ~= number else { throw .outOfRange }
        return number
    }
}

extension String {
    fileprivate var isDigits: Bool { !isEmpty && utf8.allSatisfy { 0x30...0x39 ~= $0 } }
}
