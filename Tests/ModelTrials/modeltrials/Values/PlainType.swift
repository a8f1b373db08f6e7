/// The type of a field or a note, slowly.
struct PlainType {
    /// The kinds of single values.
    enum Scalar: String, CaseIterable {
        case text, number, boolean, time
    }

    /// The kinds of collections.
    enum Collection: String, CaseIterable {
        case list, set, last, map
    }

    let collection: Collection?
    let scalar: Scalar
    /// The most bytes of a text; nil: as many as by default.
    let bytes: Int?
    /// The most elements.
    let most: Int
    /// True where what is beyond the most elements is dropped.
    let drops: Bool

    init(
        _ scalar: Scalar, bytes: Int? = nil, in collection: Collection? = nil, most: Int = 1, drops: Bool = false
    ) {
        (self.collection, self.scalar, self.bytes, self.most) = (collection, scalar, bytes, most)
        self.drops = drops
    }

    var element: PlainType { PlainType(scalar, bytes: bytes) }
    var isMap: Bool { collection == .map }

    /// The type as a definition spells it.
    var spelling: String {
        let inner = scalar.rawValue + (bytes.map { "(\($0))" } ?? "")
        return collection.map { "\($0.rawValue)(\(inner), \(most)\(drops ? ", drop" : ""))" } ?? inner
    }

    /// The value as the type holds it, or why it does not.
    func fit(_ given: PlainValue) -> PlainValue {
        var value = given.lifted
        if collection == nil, scalar == .time, case .text(let text) = given {
            value = PlainTime.read(text).map { .time($0) } ?? .no(.malformed)
        }
        if value.reason != nil { return value }
        switch (collection, value) {
        case (nil, _): return fitScalar(value)
        case (.map, .map(let members)): return fitMap(members)
        case (.list, .list(let elements)), (.set, .list(let elements)), (.last, .list(let elements)):
            return fitElements(elements)
        default: return .no(.wrongType)
        }
    }

    private func fitScalar(_ value: PlainValue) -> PlainValue {
        switch (scalar, value) {
        case (.text, .text(let text)):
            let count =
                Planted.is(.limitsCountScalars)
                ? String(decoding: text, as: UTF8.self).unicodeScalars.count
                : text.count
            return count > bytes ?? 1_024 ? .no(.tooLong) : value
        case (.number, .number), (.boolean, .boolean), (.time, .time): return value
        default: return .no(.wrongType)
        }
    }

    private func fitMap(_ members: [PlainValue.Member]) -> PlainValue {
        var out: [PlainValue.Member] = []
        for member in members.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard PlainValue.text(member.key).key(PlainLimits.entry) != nil else { return .no(.key) }
            let value = element.fit(member.value)
            if value.reason != nil { return value }
            out.append(PlainValue.Member(key: member.key, value: value))
        }
        if drops { return .map(Array(out.prefix(most))) }
        return out.count > most ? .no(.full) : .map(out)
    }

    private func fitElements(_ elements: [PlainValue]) -> PlainValue {
        var out: [PlainValue] = []
        for element in elements {
            let value = self.element.fit(element)
            if value.reason != nil { return value }
            if collection == .set, let index = out.firstIndex(of: value) {
                guard Planted.is(.setsMoveElements) else { continue }
                out.remove(at: index)
            }
            out.append(value)
        }
        if collection == .last {
            return .list(Planted.is(.lastKeepsTheOldest) ? Array(out.prefix(most)) : out.suffix(most))
        }
        if drops { return .list(Array(out.prefix(most))) }
        return out.count > most ? .no(.full) : .list(out)
    }
}

/// The limits of language 1 that a fold can meet.
enum PlainLimits {
    static let entry = 128
    static let part = 256
    static let key = 400
    static let text = 10_240
    static let record = 16_384
    static let rows = 100
    static let each = 100
    static let look = 1_000
    static let misfits = 1_000
}
