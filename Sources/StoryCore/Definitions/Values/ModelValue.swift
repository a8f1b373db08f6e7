/// A value of a row, of an event or of an expression, or the reason why there is none.
///
/// It owns nothing: texts and collections are views of the bytes of the event, of the stored row, of the program or of the
/// fold's memory, and valid as long as those.
package enum ModelValue: BitwiseCopyable {
    case absent(Absence)
    case boolean(Bool)
    case number(ModelNumber)
    case time(Instant)
    /// Well-formed UTF-8.
    case text(UnsafeRawBufferPointer)
    /// A list, a set or a last of the row.
    case list(PackedList)
    /// A map of the row.
    case map(PackedMap)
    /// An array of the event.
    case array(EventArray)
    /// An object of the event.
    case object(EventObject)

    /// No value where none is.
    package static var missing: ModelValue { .absent(.because(.missing)) }

    /// No value for a reason.
    static func absent(_ rule: MisfitRule) -> ModelValue { .absent(.because(rule)) }

    /// Creates the value of a value of the event; a number is read from its token here.
    init(_ value: EventValue) {
        switch value {
        case .absent(let rule): self = .absent(rule)
        case .null: self = .missing
        case .boolean(let value): self = .boolean(value)
        case .number(let token):
            switch ModelNumber.read(token) {
            case .number(let number): self = .number(number)
            case .outOfRange: self = .absent(.outOfRange)
            case .malformed: self = .absent(.malformed)
            }
        case .text(let text): self = .text(text)
        case .array(let array): self = .array(array)
        case .object(let object): self = .object(object)
        }
    }

    /// Creates the value of a result; nil is a number of 10^18 or more.
    init(_ number: ModelNumber?) {
        if let number { self = .number(number) } else { self = .absent(.outOfRange) }
    }

    /// The reason why there is no value; nil where there is one.
    var absence: Absence? {
        if case .absent(let absence) = self { absence } else { nil }
    }

    /// True where there is no value, for whatever reason.
    package var isMissing: Bool {
        if case .absent = self { true } else { false }
    }

    /// True for the boolean `true` alone.
    var isTrue: Bool {
        if case .boolean(true) = self { true } else { false }
    }

    /// True for an object of the event or a map of the row.
    var isBox: Bool {
        switch self {
        case .object, .map: true
        case .absent, .boolean, .number, .time, .text, .list, .array: false
        }
    }

    /// True for a list or a map without elements: a field with it has no value.
    var isEmpty: Bool {
        switch self {
        case .list(let list): list.count == 0
        case .map(let map): map.count == 0
        case .absent, .boolean, .number, .time, .text, .array, .object: false
        }
    }

    /// The size of a value of a row, in bytes, as the limit of a row counts it; 0 for other values.
    package var size: Int {
        switch self {
        case .absent, .array, .object: 0
        case .boolean: 1
        case .number: 9
        case .time: 8
        case .text(let text): 2 + text.count
        case .list(let list): 2 + list.bytes.count
        case .map(let map): 2 + map.bytes.count
        }
    }

    /// The bytes that a search among the elements or the bytes of a value passes over, about.
    var searchedSize: Int {
        if case .array(let array) = self { 16 * array.count } else { size }
    }

    /// Returns true where two values of one field are the same. No value is the same as no value.
    package func isSame(as other: ModelValue) -> Bool {
        switch (self, other) {
        case (.absent, .absent): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.time(let left), .time(let right)): left == right
        case (.text(let left), .text(let right)): left.equals(right)
        case (.list(let left), .list(let right)): left.count == right.count && left.bytes.equals(right.bytes)
        case (.map(let left), .map(let right)): left.count == right.count && left.bytes.equals(right.bytes)
        case (.absent, _), (.boolean, _), (.number, _), (.time, _), (.text, _), (.list, _), (.map, _), (.array, _),
            (.object, _):
            false
        }
    }

    /// The elements of a list or an array; nil for other values.
    var elements: ValueList? {
        switch self {
        case .list(let list): .stored(list)
        case .array(let array): .event(array)
        case .absent, .boolean, .number, .time, .text, .map, .object: nil
        }
    }
}

/// The elements of a list of the row or of an array of the event.
enum ValueList: BitwiseCopyable {
    case stored(PackedList)
    case event(EventArray)

    var count: Int {
        switch self {
        case .stored(let list): list.count
        case .event(let array): array.count
        }
    }

    /// The element at an index, which is within the list.
    subscript(index: Int) -> ModelValue {
        switch self {
        case .stored(let list): list[index]
        case .event(let array): ModelValue(array[index])
        }
    }
}

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
