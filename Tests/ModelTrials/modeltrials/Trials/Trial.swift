import TestSupport

/// A definition with events, made from a seed.
struct Trial {
    /// An event that is appended.
    struct Planned {
        let stream: String
        let type: String
        let data: MadeJSON
        let meta: MadeJSON?
        let tags: [String]?
        /// How long after the event before it comes, in milliseconds.
        let after: Int64

        /// The line that appends it.
        var line: String {
            var line = #"APPEND \#(stream) {"type":"\#(type)","data":\#(data.text)"#
            if let meta { line += ",\"meta\":\(meta.text)" }
            if let tags { line += ",\"tags\":[\(tags.map { "\"\($0)\"" }.joined(separator: ","))]" }
            return line + "}"
        }

        func event(position: UInt64, version: UInt64, time: Int64) -> PlainEvent {
            PlainEvent(
                stream: stream, type: type, data: data.value, meta: meta?.value, tags: tags, position: position,
                version: version, time: time, by: 1_000)
        }
    }

    let seed: UInt64
    let tree: Tree
    let text: String
    let events: [Planned]
    /// Draws the course of the trial: when the model is defined, and the questions.
    var random: SplitMix64

    init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(seed: seed &* 0x2545_F491_4F6C_DD1D)
        let habit = random.pick(JSONMaker.Habit.usual, .usual, .usual, .edges, .longTexts, .longLists)
        var tree = DefinitionMaker.tree(SplitMix64(seed: random.next()), habit)
        // Out of draws of its own, and in none of the trials that are known to notice another planted fault.
        if seed % 16 == 13 { tree.every = DefinitionMaker.every(of: tree, SplitMix64(seed: seed)) }
        text = Printer.text(tree, SplitMix64(seed: random.next()))
        var json = JSONMaker(SplitMix64(seed: random.next()), habit)
        let count = Int.random(in: 8...40, using: &random)
        events = (0..<count).map { _ in Trial.event(tree, &json) }
        (self.tree, self.random) = (tree, random)
    }

    private static func event(_ tree: Tree, _ json: inout JSONMaker) -> Planned {
        let sources = tree.sources == ["*"] ? ["a", "b", "cc"] : tree.sources
        let category = json.random.oneIn(12) ? "zz" : json.pick(sources)
        let known = tree.rules.flatMap(\.types).filter { $0 != "*" }
        let type = known.isEmpty || json.random.oneIn(10) ? json.pick(["A", "D"]) : json.pick(known)
        let data = json.data(tree.fields)
        let meta = json.random.oneIn(4) ? json.data([], isObject: true) : nil
        return Planned(
            stream: category + "-" + json.random.pick("1", "2", "3", "2", "1", "x-y", "T.1~_"), type: type, data: data,
            meta: meta, tags: json.random.oneIn(4) ? json.pick([["a"], ["a", "b"], ["c1", "open"]]) : nil,
            after: json.random.pick(0, 0, 1, 999, 3_600_000, 86_400_000, 2_678_400_000))
    }

    /// The definition and the events, as they are printed with a failure.
    var description: String {
        "seed \(seed)\n\(text)\n" + events.map { $0.line }.joined(separator: "\n")
    }
}

/// A difference between the program and the plain model.
struct Difference: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// - Throws: the difference where there is one.
    static func check<Value: Equatable>(_ found: Value, _ expected: Value, _ subject: String) throws(Difference) {
        guard found != expected else { return }
        throw Difference("\(subject)\n  is  \(short("\(found)"))\n  not \(short("\(expected)"))")
    }

    /// - Throws: the first elements that differ, where some do.
    static func check<Element: Equatable>(
        _ found: [Element], _ expected: [Element], _ subject: String
    ) throws(Difference) {
        guard found != expected else { return }
        let pairs = zip(found, expected)
        let start =
            pairs.enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(found.count, expected.count)
        let (wrong, right) = (found.dropFirst(start).prefix(5), expected.dropFirst(start).prefix(5))
        throw Difference(
            "\(subject), \(found.count) for \(expected.count), from \(start)\n  is  \(short("\(Array(wrong))"))"
                + "\n  not \(short("\(Array(right))"))")
    }

    private static func short(_ text: String) -> String {
        text.utf8.count > 3_000 ? String(text.prefix(3_000)) + "…" : text
    }
}
