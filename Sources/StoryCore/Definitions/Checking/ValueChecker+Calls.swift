extension ValueChecker {
    /// Checks a call.
    mutating func call(
        _ name: String, _ arguments: [SyntaxValue], at position: SourcePosition
    ) -> ValueKind? {
        guard let function = ModelFunction(rawValue: name) else {
            for argument in arguments { _ = kind(argument) }
            let hint = NearestName.hint(name, among: ModelFunction.allCases.map(\.rawValue))
            report(
                .noSuch, at: position,
                "there is no function \(name)\(hint); known: \(ModelFunction.names)")
            return nil
        }
        let counts = function.argumentCount
        if arguments.count < counts.lowerBound {
            report(.missing, at: position, "\(function.rawValue) takes \(counts.lowerBound) values")
        }
        let sentence = "\(function.rawValue) takes at most \(counts.upperBound) values"
        check(arguments.map(\.position), atMost: counts.upperBound, sentence)
        let kinds = check(arguments, of: function)
        return function.resultKind ?? common(kinds, of: function, at: position)
    }

    /// Checks the arguments and returns the kinds of those that are values.
    private mutating func check(_ arguments: [SyntaxValue], of function: ModelFunction) -> [ValueKind?] {
        var kinds: [ValueKind?] = []
        for (index, argument) in arguments.prefix(function.argumentCount.upperBound).enumerated() {
            if index == 1, let option = function.option {
                check(argument, as: option)
                continue
            }
            let kind = kind(argument)
            kinds.append(kind)
            if let kind, kind != .any, !function.takenKinds.contains(kind) {
                report(.wrongType, at: argument.position, "\(function.rawValue) takes no \(kind.rawValue)")
            }
        }
        return kinds
    }

    private mutating func check(_ argument: SyntaxValue, as option: ModelFunction.Option) {
        switch (option, argument.literal) {
        case (.number(let range), .number(let number)?):
            guard let whole = number.whole, range.contains(whole) else {
                return report(.outOfRange, at: argument.position, "the number is too small or too great")
            }
        case (.number, _): report(.wrongType, at: argument.position, "a whole number is expected")
        case (.offset, .text(let text)?) where ZoneOffset(text) != nil: break
        case (.offset, _): report(.malformed, at: argument.position, "an offset is written '+09:00'")
        }
    }

    /// Returns the kind that the arguments of `min` and `max` have in common.
    private mutating func common(
        _ kinds: [ValueKind?], of function: ModelFunction, at position: SourcePosition
    ) -> ValueKind? {
        let sure = Set(kinds.compactMap { $0 }).subtracting([.any])
        if sure.count > 1, sure != [.time, .text] {
            report(.wrongType, at: position, "\(function.rawValue) compares values of one kind")
        }
        if kinds.contains(nil) { return nil }
        if kinds.contains(.any) { return .any }
        return sure.contains(.time) ? .time : sure.count == 1 ? sure.first : nil
    }
}

extension SyntaxValue {
    /// The value of a literal; nil for other values.
    var literal: Literal? { if case .literal(let value) = form { value } else { nil } }
}

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

/// A function of the language.
package enum ModelFunction: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
    case lower, upper, prefix, text, number, count, round, floor, year, month, day, hour, seconds, min, max

    /// The second argument of a function, which is written out in the text.
    enum Option {
        /// A whole number of a range.
        case number(ClosedRange<Int64>)
        /// An offset from UTC: `'+09:00'`.
        case offset
    }

    /// The minimum and maximum number of arguments.
    var argumentCount: ClosedRange<Int> {
        switch self {
        case .lower, .upper, .text, .number, .count, .floor: 1...1
        case .prefix, .seconds: 2...2
        case .round, .year, .month, .day, .hour: 1...2
        case .min, .max: 1...8
        }
    }

    /// The written second argument; nil where all arguments are values.
    var option: Option? {
        switch self {
        case .prefix: .number(1...Int64(DefinitionLimits.longestText))
        case .round: .number(0...Int64(ModelNumber.precision))
        case .year, .month, .day, .hour: .offset
        case .lower, .upper, .text, .number, .count, .floor, .seconds, .min, .max: nil
        }
    }

    /// The kinds that the function takes.
    var takenKinds: Set<ValueKind> {
        switch self {
        case .lower, .upper, .prefix: [.text]
        case .text, .number: [.text, .number, .boolean, .time]
        case .count: [.text, .list, .map]
        case .round, .floor: [.number]
        case .year, .month, .day, .hour, .seconds: [.time, .text]
        case .min, .max: [.number, .text, .time]
        }
    }

    /// The kind of the result; nil where it is that of the arguments.
    var resultKind: ValueKind? {
        switch self {
        case .lower, .upper, .prefix, .text, .year, .month, .day, .hour: .text
        case .number, .count, .round, .floor, .seconds: .number
        case .min, .max: nil
        }
    }
}
