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
