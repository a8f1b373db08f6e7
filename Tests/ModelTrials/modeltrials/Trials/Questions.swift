import TestSupport

/// A maker of questions about the rows that there are.
struct Questions {
    private let plain: PlainModel
    var random: SplitMix64

    init(_ plain: PlainModel, _ random: SplitMix64) { (self.plain, self.random) = (plain, random) }

    /// A field with a value that a row has, or none.
    mutating func filter() -> (field: String, given: PlainValue)? {
        let fields = plain.tree.fields.filter { !$0.type.isMap }
        guard let field = fields.randomElement(using: &random), let given = value(field) else { return nil }
        return (field.name, given)
    }

    /// A value that the type holds: others are refused.
    private mutating func value(_ field: Tree.Field) -> PlainValue? {
        let value = any(field)
        return field.type.element.fit(value).reason == nil ? value : nil
    }

    private mutating func any(_ field: Tree.Field) -> PlainValue {
        var found: [PlainValue] = []
        for (_, row) in plain.ordered {
            guard let value = row.fields[field.name] else { continue }
            if case .list(let elements) = value { found += elements } else { found.append(value) }
        }
        if !random.oneIn(6), let value = found.randomElement(using: &random) { return value }
        switch field.type.scalar {
        case .text: return .text(random.pick("a", "open", "c1", ""))
        case .number: return .whole(random.pick(0, 1, 3))
        case .boolean: return .boolean(random.oneIn(2))
        case .time: return .time(1_795_132_800_000)
        }
    }

    mutating func question() -> PlainQuestion {
        var question = PlainQuestion(isAscending: random.oneIn(2))
        for _ in 0..<random.pick(0, 1, 1, 2, 3) {
            guard let filter = filter(), !question.filters.contains(where: { $0.field == filter.field }) else {
                continue
            }
            question.filters.append(filter)
        }
        guard let sort = plain.tree.sorts.randomElement(using: &random), !random.oneIn(4),
            let field = plain.fields[sort]
        else { return question }
        question.sort = sort
        if random.oneIn(3) { question.since = value(field) }
        if random.oneIn(3) { question.until = value(field) }
        return question
    }
}
