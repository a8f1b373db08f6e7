import TestSupport

/// A JSON value: its text, and what the language sees of it.
struct MadeJSON {
    let text: String
    let value: PlainValue
}

/// Values at the edges, and what events hold.
struct JSONMaker {
    /// The values that a trial has more of than others.
    enum Habit {
        case usual, edges, longTexts, longLists
    }

    var random: SplitMix64
    let habit: Habit

    init(_ random: SplitMix64, _ habit: Habit) { (self.random, self.habit) = (random, habit) }

    static let numbers = [
        "0", "-0", "1", "2", "3", "2.5", "0.5", "-1.5", "0.1", "12.50", "1e3", "1E-2", "-7", "10", "1e17",
        "999999999999999999", "-999999999999999999", "999999999999999999.5", "1e18", "1e300", "123456789012345678.5",
        "0.000000000000000001", "0.0000000000000000005", "0.0000000000000000015", "1e-18", "1e-19", "4.9e-19", "5e-19",
        "0.123456789012345678", "0.1234567890123456785", "1.0000000000000000005", "1.00000000000000000050001",
        "99999999999999999.95", "3.3333333333333333333333333333333333333333333333333333", "-2.5", "1e-400", "7e0",
    ]
    static let times = [
        "2026-11-20T12:00:00Z", "2026-11-20T12:00:00.999999Z", "2026-11-20t23:59:60z", "2026-11-20 12:00:00+09:00",
        "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
        "2024-02-29T00:00:00.5Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2000-02-29T12:34:56.0007Z",
        "2026-11-20T12:00:00", "2026-13-01T00:00:00Z", "2026-11-20T24:00:00Z", "1969-12-31T23:59:59.999Z", "2026-11-20",
        "2026-11-20T12:00:00.Z", "2026-11-20T12:00:00+24:00", "2026-01-01T00:30:00+01:00",
    ]
    static let texts = [
        "", "a", "b", "c", "A", "Ab", "open", "é", "aé", "日本", "é🎉x", "e\u{301}", "ß", "🎉", "a/b", "50%", "ÄÖ", "\u{0}",
        "\n", "\u{7F}",
        "\"", "\\", "１", "12", "1.50", "-0", "1e3", "true", "none", "null", "a b", "=", "a=b", " ", "c1", "c2", "c3",
        "\u{FFFF}",
        "\u{10FFFF}", "zz", "2026-11-20T12:00:00Z",
    ]

    mutating func number() -> String {
        isAtEdge(3) ? pick(JSONMaker.numbers) : "\(Int.random(in: 0...9, using: &random))"
    }

    mutating func time() -> String {
        isAtEdge(2) ? pick(JSONMaker.times) : "2026-11-\(Int.random(in: 10...28, using: &random))T08:00:00Z"
    }

    private mutating func isAtEdge(_ count: Int) -> Bool { habit == .edges || random.oneIn(count) }

    mutating func text() -> String {
        switch Int.random(in: 0..<(habit == .longTexts ? 5 : 40), using: &random) {
        case 0:
            let count = pick([
                31, 32, 33, 127, 128, 129, 199, 200, 200, 201, 201, 255, 256, 257, 400, 1_023, 1_024, 1_025,
            ])
            return String(repeating: random.pick("x", "y"), count: count) + random.pick("", "a", "b")
        case 1: return String(repeating: "é", count: random.pick(16, 64, 100, 101, 128, 512, 513))
        case 2: return String(repeating: "w", count: random.pick(5_000, 9_000, 10_240, 10_241))
        case 3..<20: return random.pick("a", "b", "c", "c1", "c2", "open", "done", "x/y")
        default: return pick(JSONMaker.texts)
        }
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    // MARK: JSON

    static func made(number text: String) -> MadeJSON {
        switch PlainNumber.read(Array(text.utf8)) {
        case .number(let number): MadeJSON(text: text, value: .number(number))
        case .outOfRange: MadeJSON(text: text, value: .no(.outOfRange))
        case .none: preconditionFailure("\(text) is no number")
        }
    }

    static func made(text: String) -> MadeJSON {
        MadeJSON(text: PlainValue.quoted(Array(text.utf8)), value: .text(text))
    }

    static func made(list elements: [MadeJSON]) -> MadeJSON {
        MadeJSON(text: "[\(elements.map(\.text).joined(separator: ","))]", value: .list(elements.map(\.value)))
    }

    static func made(object members: [(String, MadeJSON)]) -> MadeJSON {
        let text = members.map { PlainValue.quoted(Array($0.0.utf8)) + ":" + $0.1.text }.joined(separator: ",")
        let values = members.map { PlainValue.Member(key: Array($0.0.utf8), value: $0.1.value) }
        return MadeJSON(text: "{\(text)}", value: .map(values))
    }

    mutating func boolean() -> MadeJSON {
        let flag = random.oneIn(2)
        return MadeJSON(text: flag ? "true" : "false", value: .boolean(flag))
    }

    /// Any single value, or none.
    mutating func scalar() -> MadeJSON {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 9: MadeJSON(text: "null", value: .null)
        case 1: boolean()
        case 2: JSONMaker.made(text: time())
        case 3...5: JSONMaker.made(number: number())
        default: JSONMaker.made(text: text())
        }
    }

    /// An array, mostly of one kind.
    mutating func list() -> MadeJSON {
        let isLong = random.oneIn(habit == .longLists ? 3 : 60)
        let count = isLong ? random.pick(99, 100, 101, 130) : random.pick(0, 1, 2, 3, 4, 6)
        let kind = Int.random(in: 0..<5, using: &random)
        var elements: [MadeJSON] = []
        for index in 0..<count {
            let isNumbered = isLong && kind != 1
            elements.append(
                isNumbered ? JSONMaker.made(text: "i\(index)") : random.oneIn(12) ? scalar() : element(kind))
        }
        return JSONMaker.made(list: elements)
    }

    private mutating func element(_ kind: Int) -> MadeJSON {
        switch kind {
        case 0: JSONMaker.made(text: text())
        case 1: JSONMaker.made(number: number())
        case 2: JSONMaker.made(text: time())
        case 3: random.oneIn(4) ? boolean() : JSONMaker.made(text: random.pick("a", "b", "c"))
        default: JSONMaker.made(object: [("k", JSONMaker.made(text: text())), ("n", JSONMaker.made(number: number()))])
        }
    }

    mutating func map() -> MadeJSON {
        var names: [String] = []
        for _ in 0..<random.pick(0, 1, 2, 3, 5) {
            let name = random.oneIn(4) ? number() : text()
            if !names.contains(name) { names.append(name) }
        }
        let kind = Int.random(in: 0..<4, using: &random)
        return JSONMaker.made(object: names.map { ($0, random.oneIn(20) ? scalar() : element(kind)) })
    }

    /// The member of a name, mostly of the kind that its first letter says.
    mutating func member(_ name: String) -> MadeJSON {
        guard !random.oneIn(14) else { return random.oneIn(3) ? random.oneIn(2) ? list() : map() : scalar() }
        switch name.first {
        case "n", "p": return JSONMaker.made(number: number())
        case "w": return JSONMaker.made(text: time())
        case "b": return boolean()
        case "l", "s": return list()
        case "m": return map()
        case "o": return JSONMaker.made(object: [("n", member("n")), ("t", member("t")), ("l", member("l"))])
        default: return JSONMaker.made(text: text())
        }
    }

    /// The names of the members of events, besides those of fields.
    static let names = ["n", "p", "t", "k", "w", "b", "l", "s", "m", "o", "odd name"]

    /// The data of an event.
    ///
    /// - Parameters:
    ///   - fields: the fields that a `merge` looks for.
    ///   - isObject: whether it is always an object.
    mutating func data(_ fields: [Tree.Field], isObject: Bool = false) -> MadeJSON {
        if !isObject, random.oneIn(40) { return scalar() }
        var members: [(String, MadeJSON)] = []
        for name in JSONMaker.names where !random.oneIn(6) { members.append((name, member(name))) }
        for field in fields where random.oneIn(3) { members.append((field.name, value(of: field.type))) }
        return JSONMaker.made(object: members)
    }

    /// A value that mostly fits a type.
    private mutating func value(of type: PlainType) -> MadeJSON {
        if random.oneIn(8) { return scalar() }
        if type.isMap { return map() }
        if type.collection != nil { return list() }
        switch type.scalar {
        case .text: return JSONMaker.made(text: text())
        case .number: return JSONMaker.made(number: number())
        case .boolean: return boolean()
        case .time: return JSONMaker.made(text: time())
        }
    }
}
