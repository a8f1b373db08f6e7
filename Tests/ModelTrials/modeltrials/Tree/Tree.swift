/// A definition as a tree, which is printed for the program and interpreted by the plain model.
struct Tree {
    /// A field or a note.
    struct Field {
        let name: String
        let type: PlainType
        let isOptional: Bool
        let start: PlainValue?
    }

    /// The rule of some types of events.
    struct Rule {
        /// The types; `*` is every other one.
        let types: [String]
        let body: [Statement]
    }

    /// The categories; `*` is all of them.
    var sources: [String]
    var key: [Expression]?
    var fields: [Field]
    var notes: [Field]
    var indexes: [[String]]
    var sorts: [String]
    var isKeepingHistory: Bool
    var rules: [Rule]
    /// The statements for every event, behind the rules; nil where there are none.
    var every: [Statement]?

    /// True where each row is of one stream, so that it can be asked as it was.
    var isOfOneStream: Bool {
        key == nil && sources.count == 1 && sources != ["*"]
            && !(rules.flatMap(\.body) + (every ?? [])).contains { $0.looksBeyondItsStream }
    }
}

/// A statement, with its line once it is printed.
final class Statement {
    indirect enum Kind {
        case set(Target, String, Expression)
        case choice(Expression, [Statement], [Statement])
        case each([String], Expression, [Statement])
        case row([Expression], [Statement])
        case bind(String, Expression)
        case merge(Expression)
        case remove
    }

    /// The thing that a statement changes.
    enum Target {
        case field(String)
        case entry(String, Expression)
        case note(key: Expression?, String)
    }

    let kind: Kind
    var line = 0

    init(_ kind: Kind) { self.kind = kind }

    /// True for a statement that changes or reads rows or notes that are not of the event's stream.
    var looksBeyondItsStream: Bool {
        switch kind {
        case .set(.note(let key, _), _, let value): key != nil || value.looksBeyondItsStream
        case .set(.entry(_, let key), _, let value): key.looksBeyondItsStream || value.looksBeyondItsStream
        case .set(.field, _, let value): value.looksBeyondItsStream
        case .choice(let condition, let yes, let no):
            condition.looksBeyondItsStream || (yes + no).contains { $0.looksBeyondItsStream }
        case .each(_, let over, let body): over.looksBeyondItsStream || body.contains { $0.looksBeyondItsStream }
        case .row: true
        case .bind(_, let value), .merge(let value): value.looksBeyondItsStream
        case .remove: false
        }
    }
}

/// A value as it is written.
indirect enum Expression {
    case literal(PlainValue)
    case none
    case data
    case meta
    case event(String)
    case note(key: Expression?, String)
    case name(String)
    case member(Expression, String)
    case element(Expression, Expression)
    case call(String, [Expression])
    /// Arithmetic, comparisons, `&&`, `||`, `??` and `in`.
    case operation(String, Expression, Expression)
    case negative(Expression)
    case not(Expression)
    case choose(Expression, Expression, Expression)
    case isOneOf(Expression, [Expression])
    /// Whether a value, or the row where it is nil, is there.
    case isNone(Expression?, isEqual: Bool)

    var looksBeyondItsStream: Bool {
        if case .note(.some, _) = self { return true }
        return parts.contains { $0.looksBeyondItsStream }
    }

    private var parts: [Expression] {
        switch self {
        case .literal, .none, .data, .meta, .event, .name: []
        case .note(let key, _): key.map { [$0] } ?? []
        case .member(let box, _): [box]
        case .element(let box, let key): [box, key]
        case .call(_, let values): values
        case .operation(_, let left, let right): [left, right]
        case .negative(let value), .not(let value): [value]
        case .choose(let condition, let yes, let no): [condition, yes, no]
        case .isOneOf(let value, let among): [value] + among
        case .isNone(let value, _): value.map { [$0] } ?? []
        }
    }
}
