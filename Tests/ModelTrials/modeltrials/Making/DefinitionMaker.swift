import TestSupport

/// A maker of definitions of any form, mostly such that events fit.
struct DefinitionMaker {
    /// The kind of a value; nil is any.
    typealias Kind = PlainKind

    var random: SplitMix64
    var fields: [Tree.Field] = []
    var notes: [Tree.Field] = []
    /// The names of `let` and `for` with their kinds.
    var scope: [(name: String, kind: Kind?)] = []
    var isRowSeen = true
    var isInLoop = false
    var isInRow = false
    private var bound = 0
    /// The forms that this definition has more of than others; -1: none.
    private(set) var favourites = (statement: -1, value: -1)

    init(_ random: SplitMix64) {
        self.random = random
        if self.random.oneIn(2) { favourites.statement = Int.random(in: 13..<26, using: &self.random) }
        if self.random.oneIn(2) { favourites.value = Int.random(in: 0..<12, using: &self.random) }
    }

    /// The form of a value, out of so many.
    mutating func form(_ count: Int) -> Int {
        if favourites.value >= 0, random.oneIn(2) { return favourites.value % count }
        return Int.random(in: 0..<count, using: &random)
    }

    static func tree(_ random: SplitMix64, _ habit: JSONMaker.Habit) -> Tree {
        var maker = DefinitionMaker(random)
        var tree = maker.make()
        maker.addProbes(to: &tree, habit)
        return tree
    }

    /// Returns statements for every event of a definition.
    static func every(of tree: Tree, _ random: SplitMix64) -> [Statement] {
        var maker = DefinitionMaker(random)
        (maker.fields, maker.notes) = (tree.fields, tree.notes)
        return maker.body(maker.random.pick(1, 2, 3), 0)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func make() -> Tree {
        let names = [
            "total", "label", "paid", "due", "items", "members", "recent", "amounts", "score", "city", "flags",
        ]
        let count = random.pick(1, 2, 3, 4, 5, 6, 7)
        fields = names.shuffled(using: &random).prefix(count).map { field($0) }
        for name in ["owner", "seen", "sum"].prefix(random.pick(0, 0, 1, 2, 3)) { notes.append(note(name)) }
        isRowSeen = false
        var key: [Expression]?
        if random.oneIn(3) { key = (0..<random.pick(1, 1, 1, 2, 3)).map { _ in keyPart() } }
        isRowSeen = true
        let sources = random.pick(["a"], ["a"], ["a"], ["a", "b"], ["*"], ["b", "a", "x.y"])
        let scalars = fields.filter { $0.type.collection == nil }.map(\.name)
        return Tree(
            sources: sources, key: key, fields: fields, notes: notes, indexes: indexes(scalars),
            sorts: Array(scalars.shuffled(using: &random).prefix(random.pick(0, 1, 2, 3))),
            isKeepingHistory: false, rules: rules())
    }

    private mutating func field(_ name: String) -> Tree.Field {
        let scalar = pick(PlainType.Scalar.allCases)
        let bytes = scalar == .text && random.oneIn(3) ? random.pick(1, 3, 5, 33, 200, 9_000, 10_240) : nil
        let collection = random.oneIn(3) ? pick(PlainType.Collection.allCases) : nil
        let most = collection == nil ? 1 : random.pick(1, 2, 3, 5, 100, 1_000)
        let drops = collection != nil && collection != .last && random.oneIn(3)
        let type = PlainType(scalar, bytes: bytes, in: collection, most: most, drops: drops)
        var start: PlainValue?
        if collection == nil, scalar != .time, random.oneIn(4) {
            switch scalar {
            case .number: start = .number(JSONMaker.numberLiteral(&random, isSigned: true))
            case .boolean: start = .boolean(random.oneIn(2))
            default: start = .text(random.pick("a", "", "é"))
            }
            if type.fit(start ?? .null).reason != nil { start = nil }
        }
        return Tree.Field(name: name, type: type, isOptional: random.oneIn(3), start: start)
    }

    private mutating func note(_ name: String) -> Tree.Field {
        Tree.Field(
            name: name, type: PlainType(pick(PlainType.Scalar.allCases)), isOptional: random.oneIn(4), start: nil)
    }

    private mutating func indexes(_ scalars: [String]) -> [[String]] {
        let firsts = fields.filter { !$0.type.isMap }.map(\.name)
        var indexes: [[String]] = []
        for _ in 0..<random.pick(0, 1, 1, 2, 3) {
            guard let first = firsts.randomElement(using: &random) else { break }
            let rest = scalars.filter { $0 != first }.shuffled(using: &random).prefix(random.pick(0, 0, 1, 2, 3))
            if !indexes.contains([first] + rest) { indexes.append([first] + rest) }
        }
        return indexes
    }

    private mutating func rules() -> [Tree.Rule] {
        var rules: [Tree.Rule] = []
        var types = ["A", "B", "C.d"].shuffled(using: &random)
        for _ in 0..<random.pick(1, 2, 2, 3) {
            guard !types.isEmpty else { break }
            let count = random.oneIn(5) ? 2 : 1
            rules.append(Tree.Rule(types: Array(types.prefix(count)), body: body(random.pick(1, 2, 3, 4, 5), 0)))
            types.removeFirst(min(count, types.count))
        }
        if random.oneIn(4) { rules.append(Tree.Rule(types: ["*"], body: body(random.pick(1, 2), 0))) }
        return rules
    }

    // MARK: Statements

    /// Statements with a scope of their own.
    mutating func body(
        _ count: Int, _ depth: Int, with names: [(name: String, kind: Kind?)] = []
    ) -> [Statement] {
        let outer = scope
        scope += names
        let statements = (0..<count).map { _ in statement(depth) }
        scope = outer
        return statements
    }

    private mutating func statement(_ depth: Int) -> Statement {
        let isFavourite = favourites.statement >= 0 && depth < 3 && random.oneIn(3)
        let form = isFavourite ? favourites.statement : Int.random(in: 0..<(depth < 3 ? 26 : 19), using: &random)
        return Statement(kind(form, depth))
    }

    private mutating func kind(_ choice: Int, _ depth: Int) -> Statement.Kind {
        switch choice {
        case 0..<13: return setField()
        case 13..<16: return notes.isEmpty ? setField() : setNote()
        case 16:
            let value = value(random.oneIn(3) ? nil : .number, 1)
            let kind = kind(of: value)
            let name = fresh("v")
            scope.append((name, kind))
            return .bind(name, value)
        case 17: return .merge(random.pick(.data, .member(.data, "o"), .meta))
        case 18: return random.oneIn(2) ? .remove : setField()
        case 19..<23:
            return .choice(
                value(.boolean, 2), body(random.pick(1, 2), depth + 1),
                random.oneIn(2) ? body(1, depth + 1) : [])
        case 23, 24: return isInLoop ? setField() : loop(depth)
        default: return isInRow ? setField() : row(depth)
        }
    }

    private mutating func fresh(_ prefix: String) -> String {
        bound += 1
        return "\(prefix)\(bound)"
    }

    private mutating func loop(_ depth: Int) -> Statement.Kind {
        let over = value(.list, 1)
        let names = random.oneIn(3) ? [fresh("i"), fresh("x")] : [fresh("x")]
        isInLoop = true
        defer { isInLoop = false }
        var kinds: [(name: String, kind: Kind?)] = [(names[names.count - 1], nil)]
        if names.count == 2 { kinds.append((names[0], .number)) }
        return .each(names, over, body(random.pick(1, 2), depth + 1, with: kinds))
    }

    private mutating func row(_ depth: Int) -> Statement.Kind {
        let keys = (0..<random.pick(1, 1, 2)).map { _ in keyPart() }
        isInRow = true
        defer { isInRow = false }
        return .row(keys, body(random.pick(1, 2, 3), depth + 1))
    }

    private mutating func keyPart() -> Expression {
        random.oneIn(3) ? value(pick([.text, .number, .time, .boolean]), 1) : leaf(.text)
    }

    private mutating func setNote() -> Statement.Kind {
        let note = pick(notes)
        let key = random.oneIn(4) ? keyPart() : nil
        let mark = note.type.scalar == .number ? random.pick("=", "+=", "-=") : "="
        return .set(.note(key: key, note.name), mark, given(Kind(note.type.scalar), mark))
    }

    private mutating func setField() -> Statement.Kind {
        let field = pick(fields)
        let scalar = Kind(field.type.scalar)
        guard let collection = field.type.collection else {
            let mark = scalar == .number ? random.pick("=", "+=", "+=", "-=") : "="
            return .set(.field(field.name), mark, given(scalar, mark))
        }
        guard collection == .map else {
            let mark = random.pick("+=", "+=", "+=", "-=", "=")
            let kind = mark == "=" || random.oneIn(3) ? .list : scalar
            return .set(.field(field.name), mark, given(kind, mark))
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .set(.field(field.name), "=", given(.map, "="))
        case 1: return .set(.field(field.name), "-=", given(random.oneIn(3) ? .list : .text, "-="))
        default:
            let mark = scalar == .number ? random.pick("=", "+=", "+=", "-=") : "="
            let key = random.oneIn(4) ? value(pick([.text, .number]), 1) : leaf(.text)
            return .set(.entry(field.name, key), mark, given(scalar, mark))
        }
    }

    /// The value of a statement, or none.
    private mutating func given(_ kind: Kind, _ mark: String) -> Expression {
        switch Int.random(in: 0..<16, using: &random) {
        case 0 where mark == "=": .none
        case 1: .operation("??", leaf(kind), .none)
        case 2: .choose(value(.boolean, 1), value(kind, 1), .none)
        case 3..<9: leaf(kind)
        default: value(kind, 2)
        }
    }
}

/// The kinds of values that the language tells apart before it knows them.
enum PlainKind {
    case text, number, boolean, time, list, map

    init(_ scalar: PlainType.Scalar) {
        switch scalar {
        case .text: self = .text
        case .number: self = .number
        case .boolean: self = .boolean
        case .time: self = .time
        }
    }
}

extension JSONMaker {
    /// A number that a definition may write.
    static func numberLiteral(_ random: inout SplitMix64, isSigned: Bool = false) -> PlainNumber {
        let texts = [
            "0", "1", "2", "3", "10", "0.5", "2.5", "1.5", "0.1", "3.25", "1e3", "999999999999999999",
            "0.000000000000000001",
            "7", "100", "1e-10",
        ]
        let text = texts[Int.random(in: 0..<texts.count, using: &random)]
        guard case .number(let number) = PlainNumber.read(Array(text.utf8)) else { return .zero }
        return isSigned && random.oneIn(4) ? -number : number
    }
}
