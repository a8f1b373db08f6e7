import StoryCore
import StoryModels

extension KindSchema {
    /// The conditions that the filters of a request are; those that the kind does not have are left out.
    func conditions(_ filters: [Filter]) -> [Condition] {
        filters.compactMap { wanted in
            filter(named: wanted.name.rawValue.utf8).map { Condition($0, wanted.value) }
        }
    }
}

extension Filter {
    fileprivate var value: FilterValue {
        switch self {
        case .sender(let id), .recipient(let id), .owner(let id), .story(let id): .name(id.bytes)
        case .between(let one, let other): .pair(one.bytes, other.bytes)
        case .prefecture(let number): .integer(number)
        case .email(let text): .folded(text)
        case .unseen(let isWanted): .flag(isWanted)
        case .since(let time), .until(let time): .date(time)
        }
    }
}

extension [Condition] {
    /// True when a row passes all of them.
    func match(_ row: borrowing RowView) -> Bool {
        for condition in self {
            guard condition.matches(row) else { return false }
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// The number that an index's key ends with; nil when it is too short for one.
    var lastNumber: UInt64? { count >= 6 ? sixByteNumber(at: count - 6) : nil }
}
