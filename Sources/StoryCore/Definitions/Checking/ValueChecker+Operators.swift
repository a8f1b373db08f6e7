extension ValueChecker {
    mutating func negative(_ number: SyntaxValue, at position: SourcePosition) -> ValueKind? {
        if let kind = kind(number), kind != .any, kind != .number {
            report(.wrongType, at: position, "- is for numbers, this is \(kind.rawValue)")
        }
        return .number
    }

    mutating func arithmetic(
        _ operation: Arithmetic, of left: SyntaxValue, and right: SyntaxValue
    ) -> ValueKind? {
        for side in [left, right] {
            guard let kind = kind(side), kind != .any, kind != .number else { continue }
            report(.wrongType, at: side.position, "\(operation.rawValue) is for numbers, this is \(kind.rawValue)")
        }
        return .number
    }

    mutating func sum(_ left: SyntaxValue, _ right: SyntaxValue, at position: SourcePosition) -> ValueKind? {
        let kinds = [kind(left), kind(right)]
        for (kind, side) in zip(kinds, [left, right]) {
            guard let kind, kind != .any, kind != .number, kind != .text else { continue }
            report(.wrongType, at: side.position, "+ is for two numbers or two texts, this is \(kind.rawValue)")
        }
        if kinds == [.number, .text] || kinds == [.text, .number] {
            report(
                .wrongType, at: position,
                "+ is for two numbers or two texts; text(…) makes a text of a number")
        }
        return kinds.lazy.compactMap { $0 }.first { $0 == .number || $0 == .text } ?? .any
    }

    mutating func compare(
        _ comparison: Comparison, of left: SyntaxValue, and right: SyntaxValue, at position: SourcePosition
    ) -> ValueKind? {
        if comparison == .equal || comparison == .notEqual, left.isNone || right.isNone {
            return compareNone(right.isNone ? left : right)
        }
        let kinds = (kind(left), kind(right))
        for (kind, side) in [(kinds.0, left), (kinds.1, right)] {
            guard let kind, kind.isCollection else { continue }
            report(.wrongType, at: side.position, "a \(kind.rawValue) is not compared; in looks into it")
        }
        guard let first = kinds.0, let second = kinds.1, first.isScalar, second.isScalar, first != second,
            Set([first, second]) != [.time, .text]
        else { return .boolean }
        report(.wrongType, at: position, "\(first.rawValue) and \(second.rawValue) are never equal")
        return .boolean
    }

    private mutating func compareNone(_ other: SyntaxValue) -> ValueKind? {
        if !other.isRow {
            _ = kind(other, mayBeNone: true)
        } else if !mayUseRow {
            report(.noSuch, at: other.position, "the key of all rows cannot look at a row")
        }
        return .boolean
    }

    mutating func isIn(_ value: SyntaxValue, _ list: SyntaxValue) -> ValueKind? {
        check(lookedFor: value)
        if let kind = kind(list), kind.isScalar {
            report(.wrongType, at: list.position, "in looks into a list or a map")
        }
        return .boolean
    }

    mutating func isOneOf(_ value: SyntaxValue, _ options: [SyntaxValue]) -> ValueKind? {
        check(lookedFor: value)
        step()
        let limit = DefinitionLimits.options
        check(options.map(\.position), atMost: limit, "at most \(limit) values")
        for option in options where kind(option)?.isCollection == true {
            report(.wrongType, at: option.position, "one value is expected")
        }
        return .boolean
    }

    private mutating func check(lookedFor value: SyntaxValue) {
        if kind(value)?.isCollection == true { report(.wrongType, at: value.position, "one value is looked for") }
    }
}
