extension RuleChecker {
    /// Checks an assignment.
    mutating func check(
        _ target: SyntaxTarget, _ assignment: Assignment, of value: SyntaxValue, at position: SourcePosition
    ) {
        switch target {
        case .note(let note):
            let type = values.type(of: note, at: position)
            check(assignment, of: type, value, at: position)
        case .field(let name):
            guard let declared = field(name, at: position) else { return }
            check(assignment, of: declared.type, value, at: position)
        case .entry(let name, let key):
            guard let declared = field(name, at: position) else { return }
            var type = declared.type
            if let other = type, other.shape != .map {
                values.report(.wrongType, at: position, "only a map has entries")
                type = nil
            }
            if let kind = values.kind(key), !kind.isScalar, kind != .any {
                values.report(.wrongType, at: key.position, "the key of an entry is one value")
            }
            check(assignment, of: type.map { ModelFieldType($0.scalar) }, value, at: position)
        }
    }

    /// A field that can be changed; the type is nil after a fault.
    private struct Declared { let type: ModelFieldType? }

    /// Returns the field of a name; nil where the rest of the statement is not checked.
    private mutating func field(_ name: String, at position: SourcePosition) -> Declared? {
        guard values.names.locals[name] == nil else {
            values.report(.wrongType, at: position, "\(name) is not a field: it cannot be changed")
            return nil
        }
        if let type = values.names.fields[name] { return Declared(type: type) }
        if ReservedWords.language.contains(name) {
            values.report(.notSelected, at: position, "there is no field \(name)")
        } else {
            values.report(.noSuch, at: position, values.names.noField(name))
        }
        return Declared(type: nil)
    }

    private mutating func check(
        _ assignment: Assignment, of type: ModelFieldType?, _ value: SyntaxValue, at position: SourcePosition
    ) {
        let kind = values.kind(value, mayBeNone: true)
        guard let type, let kind, kind != .any else { return }
        if kind == .none {
            if assignment != .set { values.report(.wrongType, at: value.position, "none can only be set") }
            return
        }
        switch (assignment, type.shape) {
        case (.set, _):
            guard !type.takes(kind) else { return }
            values.report(.wrongType, at: value.position, "the field is \(type.name), the value is \(kind.rawValue)")
        case (.add, .one), (.take, .one):
            if type.scalar != .number {
                let sentence = "\(assignment.rawValue) is for numbers, lists, sets, last and maps"
                values.report(.wrongType, at: position, sentence)
            } else if kind != .number {
                let sentence = "the field is a number, the value is \(kind.rawValue)"
                values.report(.wrongType, at: value.position, sentence)
            }
        case (.add, .map):
            values.report(
                .wrongType, at: position, "entries of a map are set one by one: NAME[KEY] = value")
        case (.take, .map):
            guard !kind.isScalar, kind != .list else { return }
            values.report(.wrongType, at: value.position, "what is taken from a map is a key, or a list of keys")
        case (.add, .list), (.add, .set), (.add, .last), (.take, .list), (.take, .set), (.take, .last):
            guard kind != .list, !type.scalar.takes(kind) else { return }
            values.report(
                .wrongType, at: value.position, "the field holds \(type.scalar.name), the value is \(kind.rawValue)")
        }
    }
}
