extension ModelValue {
    /// Returns the member of an object by the name behind a dot.
    func member(_ name: UnsafeRawBufferPointer) -> ModelValue {
        switch self {
        case .absent(let absence): .absent(absence.reason)
        case .object(let object): object[name].map { ModelValue($0) } ?? .missing
        case .map(let map): map.value(name) ?? .missing
        case .boolean, .number, .time, .text, .list, .array: .missing
        }
    }

    /// Returns the element of a list or the member of an object that `key` names.
    func element(_ key: ModelValue, in memory: FoldMemory) -> ModelValue {
        if case .absent(let absence) = self { return .absent(absence.reason) }
        if case .absent(let absence) = key { return .absent(absence.reason) }
        if let elements { return ModelValue.element(of: elements, key) }
        guard let name = key.spelling(in: memory) else { return .absent(.wrongType) }
        return member(name)
    }

    private static func element(of list: ValueList, _ key: ModelValue) -> ModelValue {
        guard case .number(let number) = key else { return .absent(.wrongType) }
        guard let index = number.whole, index >= 0, index < list.count else { return .missing }
        return list[Int(index)]
    }

    /// Returns true where a list has an equal element, or a map or an object a member of this name.
    func isIn(_ other: ModelValue, _ memory: FoldMemory) -> Bool {
        switch other {
        case .map(let map): return spelling(in: memory).map { map.value($0) != nil } ?? false
        case .object(let object): return spelling(in: memory).map { object[$0] != nil } ?? false
        case .absent, .boolean, .number, .time, .text, .list, .array: break
        }
        guard let list = other.elements, list.count <= DefinitionLimits.lookup else { return false }
        switch list {
        case .event(let array): return (0..<array.count).contains { order(to: ModelValue(array[$0])) == .same }
        case .stored(let list):
            var isFound = false
            list.forEach { element in
                guard !isFound, let start = element.baseAddress else { return }
                isFound = order(to: list.scalar.value(at: start)) == .same
            }
            return isFound
        }
    }

    /// The number with the other sign.
    var negated: ModelValue {
        switch self {
        case .absent(let absence): .absent(absence.reason)
        case .number(let number): .number(number.negated)
        case .boolean, .time, .text, .list, .map, .array, .object: .absent(.wrongType)
        }
    }

    /// Returns the order of two values; nil where they cannot be compared.
    package func order(to other: ModelValue) -> Order? {
        switch (self, other) {
        case (.number(let left), .number(let right)): Order(left, right)
        case (.text(let left), .text(let right)): Order(left.compare(right), 0)
        case (.time(let left), .time(let right)): Order(left.milliseconds, right.milliseconds)
        case (.time(let left), .text(let right)):
            Instant(model: right).map { Order(left.milliseconds, $0.milliseconds) }
        case (.text(let left), .time(let right)):
            Instant(model: left).map { Order($0.milliseconds, right.milliseconds) }
        case (.boolean(let left), .boolean(let right)): Order(left ? 1 : 0, right ? 1 : 0)
        case (.absent, _), (.number, _), (.text, _), (.time, _), (.boolean, _), (.list, _), (.map, _), (.array, _),
            (.object, _):
            nil
        }
    }

    /// The order of two values.
    package enum Order: BitwiseCopyable, Sendable {
        case before, same, after

        init<Value: Comparable>(_ left: Value, _ right: Value) {
            self = left < right ? .before : left == right ? .same : .after
        }
    }
}
