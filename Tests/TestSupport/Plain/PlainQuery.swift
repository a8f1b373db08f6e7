package import StoryCore

/// One filter of a list as people think of it: the oracle's, not the schemas'.
package enum PlainFilter: Equatable, Sendable {
    case sender(Identifier)
    case recipient(Identifier)
    case owner(Identifier)
    case story(Identifier)
    case between(Identifier, Identifier)
    case prefecture(Int64)
    case email([UInt8])
    case unseen(Bool)
    case since(Instant)
    case until(Instant)

    /// Its name on the wire.
    package var name: String {
        switch self {
        case .sender: "sender"
        case .recipient: "recipient"
        case .owner: "owner"
        case .story: "story"
        case .between: "between"
        case .prefecture: "prefecture"
        case .email: "email"
        case .unseen: "unseen"
        case .since: "since"
        case .until: "until"
        }
    }

    /// The condition that it is for a kind which has it.
    package func condition(of kind: Kind) -> Condition {
        guard let filter = name.bytes.withUnsafeBytes({ kind.schema.filter(named: $0) }) else {
            preconditionFailure("\(kind.name) have no filter \(name)")
        }
        return Condition(filter, value)
    }

    private var value: FilterValue {
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

/// What a list is sorted by, as people think of it.
package enum PlainSort: String, CaseIterable, Sendable {
    case date, title, likes, sender, recipient, name, email
    case iso, focalLength, exposureValue, lensAperture, exposureDuration

    /// The index of the sort in the schema of a kind which has it.
    package func index(of kind: Kind) -> Int {
        guard let index = rawValue.bytes.withUnsafeBytes({ kind.schema.sort(named: $0) }) else {
            preconditionFailure("\(kind.name) have no sort \(rawValue)")
        }
        return index
    }
}

/// A list as people think of it.
package struct PlainQuery {
    package let kind: Kind
    package let filters: [PlainFilter]
    package let sort: PlainSort
    package let order: Order
    package let limit: Int
    package let after: [UInt8]?

    package init(
        kind: Kind, filters: [PlainFilter], sort: PlainSort, order: Order, limit: Int, after: [UInt8]?
    ) {
        self.kind = kind
        self.filters = filters
        self.sort = sort
        self.order = order
        self.limit = limit
        self.after = after
    }

    /// The request for it.
    package var list: RequestAction {
        .list(
            ListQuery(
                kind: kind, conditions: filters.map { $0.condition(of: kind) }, sort: sort.index(of: kind),
                order: order, limit: limit, after: after))
    }
}

/// The built-in kinds, with what tests ask of their schemas.
extension Kind: CaseIterable, CustomStringConvertible {
    package static var allCases: [Kind] { Catalogue.standard.kinds.map(\.kind) }
    package var description: String { name }

    package var schema: KindSchema { Catalogue.standard[self] }
    package var name: String { schema.name }
    /// What its lists can be sorted by, the default first.
    package var sorts: [PlainSort] { schema.sorts.compactMap { PlainSort(rawValue: $0.name) } }

    /// The stream that holds the history of one ID.
    package func stream(_ id: Identifier) -> StreamName { schema.stream(id) }
}
