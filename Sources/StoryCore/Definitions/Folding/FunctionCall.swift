/// A call of a function of the language.
struct FunctionCall {
    let function: ModelFunction
    /// The written second argument: a number of digits or scalars, or the minutes of an offset.
    let option: Int
    let memory: FoldMemory

    /// Returns the result; the first argument without a value is passed on.
    func result(of arguments: UnsafeMutableBufferPointer<ModelValue>) -> ModelValue {
        switch function {
        case .min: return FunctionCall.extreme(of: arguments, .before)
        case .max: return FunctionCall.extreme(of: arguments, .after)
        case .seconds: return FunctionCall.seconds(arguments)
        case .lower, .upper, .prefix, .text, .number, .count, .round, .floor, .year, .month, .day, .hour: break
        }
        guard let argument = arguments.first else { return .missing }
        if case .absent(let absence) = argument { return .absent(absence.reason) }
        switch function {
        case .lower: return cased(argument) { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        case .upper: return cased(argument) { 0x61...0x7A ~= $0 ? $0 & 0xDF : $0 }
        case .prefix:
            guard case .text(let text) = argument else { return .absent(.wrongType) }
            return .text(text.prefix(scalars: option))
        case .text: return argument.spelling(in: memory).map { .text($0) } ?? .absent(.wrongType)
        case .number: return FunctionCall.number(argument)
        case .count: return FunctionCall.count(argument)
        case .round: return FunctionCall.mapped(argument) { $0.rounded(toDigits: option) }
        case .floor: return FunctionCall.mapped(argument, by: \.floor)
        case .year: return date(argument, count: 4)
        case .month: return date(argument, count: 7)
        case .day: return date(argument, count: 10)
        case .hour: return date(argument, count: 13)
        case .seconds, .min, .max: return .missing
        }
    }

    private func cased(_ argument: ModelValue, by byte: (UInt8) -> UInt8) -> ModelValue {
        guard case .text(let text) = argument else { return .absent(.wrongType) }
        guard text.count <= DefinitionLimits.longestText else { return .absent(.tooLong) }
        return .text(text.mapped(in: memory, byte))
    }

    private static func mapped(_ argument: ModelValue, by result: (ModelNumber) -> ModelNumber?) -> ModelValue {
        guard case .number(let number) = argument else { return .absent(.wrongType) }
        return ModelValue(result(number))
    }

    private static func number(_ argument: ModelValue) -> ModelValue {
        switch argument {
        case .number: return argument
        case .text(let text):
            switch ModelNumber.read(text) {
            case .number(let number): return .number(number)
            case .outOfRange: return .absent(.outOfRange)
            case .malformed: return .absent(.wrongType)
            }
        case .absent, .boolean, .time, .list, .map, .array, .object: return .absent(.wrongType)
        }
    }

    private static func count(_ argument: ModelValue) -> ModelValue {
        switch argument {
        case .text(let text): ModelValue(ModelNumber(text.scalarCount))
        case .list(let elements): ModelValue(ModelNumber(elements.count))
        case .array(let elements): ModelValue(ModelNumber(elements.count))
        case .map(let map): ModelValue(ModelNumber(map.count))
        case .object(let object): ModelValue(ModelNumber(object.members.count))
        case .absent, .boolean, .number, .time: .absent(.wrongType)
        }
    }

    /// Returns the first bytes of a time's text, in the offset of the call.
    private func date(_ argument: ModelValue, count: Int) -> ModelValue {
        guard case .time(let time) = argument.dated else { return argument.dated }
        let shifted = time.milliseconds + Int64(option) * 60_000
        guard Instant.range.contains(shifted) else { return .absent(.outOfRange) }
        return .text(UnsafeRawBufferPointer(rebasing: Instant(milliseconds: shifted).text(in: memory)[..<count]))
    }

    private static func seconds(_ arguments: UnsafeMutableBufferPointer<ModelValue>) -> ModelValue {
        for index in arguments.indices { arguments[index] = arguments[index].dated }
        for argument in arguments { if case .absent(let absence) = argument { return .absent(absence) } }
        guard arguments.count == 2, case .time(let from) = arguments[0], case .time(let to) = arguments[1] else {
            return .missing
        }
        let milliseconds = to.milliseconds - from.milliseconds
        return ModelValue(
            ModelNumber(isNegative: milliseconds < 0, magnitude: milliseconds.magnitude, scale: 3))
    }

    /// Returns the least or the greatest of the arguments that are there.
    private static func extreme(
        of arguments: UnsafeMutableBufferPointer<ModelValue>, _ order: ModelValue.Order
    ) -> ModelValue {
        let hasTime = arguments.contains(where: \.isTime)
        var best: ModelValue?
        var isComparable = true
        for argument in arguments where argument.absence?.reason != .missing {
            let value = hasTime && argument.absence == nil ? argument.dated : argument
            if case .absent = value { return value }
            guard let other = best else {
                best = value
                isComparable = !value.isBoolean && value.order(to: value) != nil
                continue
            }
            guard let found = value.order(to: other) else {
                isComparable = false
                continue
            }
            if found == order { best = value }
        }
        guard let best else { return .missing }
        return isComparable ? best : .absent(.wrongType)
    }
}

extension ModelValue {
    /// The time of a value; another value is the reason why there is none.
    fileprivate var dated: ModelValue {
        switch self {
        case .time: self
        case .text(let text): Instant(model: text).map { .time($0) } ?? .absent(.malformed)
        case .absent(let absence): .absent(absence.reason)
        case .boolean, .number, .list, .map, .array, .object: .absent(.wrongType)
        }
    }

    fileprivate var isTime: Bool { if case .time = self { true } else { false } }
    fileprivate var isBoolean: Bool { if case .boolean = self { true } else { false } }
}

extension Comparison {
    /// Returns true where the comparison holds; values that cannot be compared are not equal, and nothing else.
    func holds(_ order: ModelValue.Order?) -> Bool {
        switch self {
        case .equal: order == .same
        case .notEqual: order != .same
        case .less: order == .before
        case .atMost: order == .before || order == .same
        case .greater: order == .after
        case .atLeast: order == .after || order == .same
        }
    }
}

extension Arithmetic {
    /// Returns the result of two numbers, or the two texts one behind the other.
    func result(_ left: ModelValue, _ right: ModelValue, in memory: FoldMemory) -> ModelValue {
        switch (left, right) {
        case (.absent(let absence), _), (_, .absent(let absence)): return .absent(absence.reason)
        case (.number(let left), .number(let right)):
            return switch self {
            case .plus: ModelValue(left.adding(right))
            case .minus: ModelValue(left.subtracting(right))
            case .times: ModelValue(left.multiplied(by: right))
            case .over: ModelValue(left.divided(by: right))
            }
        case (.text(let left), .text(let right)) where self == .plus:
            guard left.count + right.count <= DefinitionLimits.longestText else { return .absent(.tooLong) }
            return .text(left.appending(right, in: memory))
        case (.boolean, _), (.number, _), (.time, _), (.text, _), (.list, _), (.map, _), (.array, _), (.object, _):
            return .absent(.wrongType)
        }
    }
}
