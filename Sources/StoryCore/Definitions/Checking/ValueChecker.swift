/// A checker of values: it returns the kind of each one, as far as the text tells it.
struct ValueChecker {
    /// The faults so far.
    private(set) var faults: [DefinitionFault] = []
    /// The names that values may use.
    var names = KnownNames()
    /// The number of steps that the statements so far may take.
    var steps = 0
    /// True within a `for`, where each step counts a hundred times.
    var isInLoop = false
    /// False for the key of all rows, which is worked out before there is a row.
    var mayUseRow = true

    mutating func report(_ rule: DefinitionRule, at position: SourcePosition, _ sentence: String) {
        faults.append(DefinitionFault(position: position, rule: rule, sentence: sentence))
    }

    /// Reports each of several parts beyond a limit.
    mutating func check(_ parts: [SourcePosition], atMost limit: Int, _ sentence: String) {
        for over in parts.dropFirst(limit) { report(.tooLong, at: over, sentence) }
    }

    /// Counts a step.
    mutating func step() { steps += isInLoop ? DefinitionLimits.loop : 1 }

    /// Checks a condition.
    mutating func check(condition: SyntaxValue) {
        guard let kind = kind(condition), kind != .any, kind != .boolean else { return }
        report(.wrongType, at: condition.position, "a condition is true or false, this is \(kind.rawValue)")
    }

    /// Checks a value and returns its kind; nil after a fault.
    mutating func kind(_ value: SyntaxValue, mayBeNone: Bool = false) -> ValueKind? {
        step()
        switch value.form {
        case .none: return mayBeNone ? ValueKind.none : fault(value, "none is set, compared, or stands after ??")
        case .literal(let literal): return ValueKind(literal: literal)
        case .root: return .any
        case .row:
            report(.malformed, at: value.position, "row is written row == none or row != none")
            return nil
        case .event(let name): return attribute(name)
        case .note(let note): return type(of: note, at: value.position).map { ValueKind($0.scalar) }
        case .name(let name): return named(name, value.position)
        case .member(let box, _): return member(of: box, at: value.position)
        case .element(let box, let key): return element(of: box, key, at: value.position)
        case .call(let name, let arguments): return call(name, arguments, at: value.position)
        case .arithmetic(.plus, let left, let right): return sum(left, right, at: value.position)
        case .arithmetic(let operation, let left, let right): return arithmetic(operation, of: left, and: right)
        case .negative(let number): return negative(number, at: value.position)
        case .not(let condition):
            check(condition: condition)
            return .boolean
        case .logic(_, let left, let right):
            check(condition: left)
            check(condition: right)
            return .boolean
        case .comparison(let comparison, let left, let right):
            return compare(comparison, of: left, and: right, at: value.position)
        case .coalesce(let value, let other):
            let kinds = (kind(value), kind(other, mayBeNone: mayBeNone))
            return kinds.1 == ValueKind.none ? kinds.0 : ValueChecker.joined(kinds.0, kinds.1)
        case .choice(let condition, let yes, let no):
            check(condition: condition)
            let kinds = (kind(yes, mayBeNone: mayBeNone), kind(no, mayBeNone: mayBeNone))
            if kinds.0 == ValueKind.none { return kinds.1 }
            return kinds.1 == ValueKind.none ? kinds.0 : ValueChecker.joined(kinds.0, kinds.1)
        case .isIn(let value, let list): return isIn(value, list)
        case .isOneOf(let value, let options): return isOneOf(value, options)
        }
    }

    /// Reports a value of the wrong type; returns nil.
    private mutating func fault(_ value: SyntaxValue, _ sentence: String) -> ValueKind? {
        report(.wrongType, at: value.position, sentence)
        return nil
    }

    private static func joined(_ left: ValueKind?, _ right: ValueKind?) -> ValueKind? {
        guard let left, let right else { return nil }
        return left == right ? left : .any
    }
}

/// Names, members and elements.
extension ValueChecker {
    /// Returns the type of a note; nil after a fault.
    mutating func type(of note: SyntaxNote, at position: SourcePosition) -> ModelFieldType? {
        if let key = note.key, let kind = kind(key), !kind.isScalar, kind != .any {
            report(.wrongType, at: key.position, "the key of a note is one value")
        }
        if let type = names.notes[note.name] { return type }
        report(.noSuch, at: position, names.noNote(note.name))
        return nil
    }

    private mutating func attribute(_ name: SyntaxName) -> ValueKind? {
        if let attribute = EventAttribute(rawValue: name.name) { return attribute.kind }
        let hint = NearestName.hint(name.name, among: EventAttribute.allCases.map(\.rawValue))
        report(.noSuch, at: name.position, "event has no \(name.name)\(hint); it has \(EventAttribute.names)")
        return nil
    }

    private mutating func named(_ name: String, _ position: SourcePosition) -> ValueKind? {
        if let kind = names.locals[name] { return kind }
        guard let type = names.fields[name] else {
            report(.noSuch, at: position, names.noValue(name))
            return nil
        }
        guard mayUseRow else {
            report(.noSuch, at: position, "the key of all rows cannot look at a row")
            return nil
        }
        return type.map { ValueKind($0) }
    }

    private mutating func member(of box: SyntaxValue, at position: SourcePosition) -> ValueKind? {
        let kind = kind(box)
        if let kind, kind.isScalar || kind == .list {
            report(.wrongType, at: position, "\(kind.rawValue) has no members")
        }
        return inside(box, kind)
    }

    private mutating func element(
        of box: SyntaxValue, _ key: SyntaxValue, at position: SourcePosition
    ) -> ValueKind? {
        let (kind, keyKind) = (kind(box), kind(key))
        if let kind, kind.isScalar { report(.wrongType, at: position, "\(kind.rawValue) has no elements") }
        if let keyKind, keyKind.isCollection || kind == .list && keyKind != .any && keyKind != .number {
            report(.wrongType, at: key.position, "an element is named by a number, a member by one value")
        }
        return inside(box, kind)
    }

    /// Returns the kind of a part of a value.
    private func inside(_ box: SyntaxValue, _ kind: ValueKind?) -> ValueKind? {
        guard let kind, kind != .any else { return kind }
        guard case .name(let name) = box.form, let type = names.fields[name] ?? nil, type.shape != .one else {
            return .any
        }
        return ValueKind(type.scalar)
    }
}

extension ValueKind {
    init(literal: Literal) {
        switch literal {
        case .boolean: self = .boolean
        case .number: self = .number
        case .text: self = .text
        }
    }
}
