/// The names that a definition declares, and those of `let` and `for` where the checker is.
struct KnownNames {
    /// The fields; nil is a type with a fault.
    private(set) var fields: [String: ModelFieldType?] = [:]
    /// The notes; nil is a type with a fault.
    private(set) var notes: [String: ModelFieldType?] = [:]
    /// The kinds of the names of `let` and `for`.
    var locals = LocalNames<ValueKind>()

    /// The names in their order, as many as are searched for a near one.
    private var fieldNames: [String] = []
    private var noteNames: [String] = []

    /// Declares a field; the first declaration of a name counts.
    mutating func declare(field name: String, _ type: ModelFieldType?) {
        if fields[name] == nil { fields.updateValue(type, forKey: name) }
        if fieldNames.count < DefinitionLimits.fields { fieldNames.append(name) }
    }

    /// Declares a note; the first declaration of a name counts.
    mutating func declare(note name: String, _ type: ModelFieldType?) {
        if notes[name] == nil { notes.updateValue(type, forKey: name) }
        if noteNames.count < DefinitionLimits.notes { noteNames.append(name) }
    }

    /// Returns the sentence of a fault: there is no such field.
    func noField(_ name: String) -> String {
        "there is no field \(name)" + NearestName.hint(name, among: fieldNames)
    }

    /// Returns the sentence of a fault: a value is neither a field, nor a name of `let` or `for`, nor a word.
    func noValue(_ name: String) -> String {
        let locals = locals.blocks.suffix(DefinitionLimits.depth).joined().prefix(DefinitionLimits.fields)
        return "there is no field \(name)" + NearestName.hint(name, among: fieldNames + locals + ReservedWords.values)
    }

    /// Returns the sentence of a fault: there is no such note.
    func noNote(_ name: String) -> String {
        "there is no note \(name)" + NearestName.hint(name, among: noteNames)
    }
}

/// The names of `let` and `for`, each known until its block ends.
struct LocalNames<Value> {
    private var values: [String: Value] = [:]
    /// The names of each open block.
    private(set) var blocks: [[String]] = []

    /// The value of a name; nil where it is no local.
    subscript(name: String) -> Value? { values[name] }

    /// Enters a block.
    mutating func enter() { blocks.append([]) }

    /// Leaves a block and forgets its names.
    mutating func leave() {
        for name in blocks.popLast() ?? [] { values[name] = nil }
    }

    /// Adds a name to the innermost block.
    mutating func bind(_ name: String, _ value: Value) {
        guard values.updateValue(value, forKey: name) == nil, let last = blocks.indices.last else { return }
        blocks[last].append(name)
    }
}
