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
