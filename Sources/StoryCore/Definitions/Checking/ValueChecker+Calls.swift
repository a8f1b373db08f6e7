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
