import StoryCore
import StoryFold

/// The `next` of a page: the sort key and number of its last row, and a mark of the list it belongs to.
///
/// It names a point in the order, not a row, so it stays valid whatever is added or deleted.
struct ListCursor: Equatable {
    /// The sort key, followed by the row's number.
    let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    /// Decodes a cursor; nil if the text is no cursor of this list.
    init?(_ text: [UInt8], for query: ListQuery, of schema: KindSchema) {
        let head = ListCursor.markCount + (schema.program == nil ? 0 : Origin.count)
        guard let bytes = Base64URL.decode(text), bytes.count >= head + ListCursor.numberCount,
            Array(bytes[..<ListCursor.markCount]) == ListCursor.mark(query, schema, Array(bytes[head...]))
        else { return nil }
        key = Array(bytes[head...])
    }

    /// Encodes the cursor as text.
    func text(for query: ListQuery, of schema: KindSchema) -> [UInt8] {
        let origin = schema.program.map { Origin($0.definition, key: key, of: schema).bytes } ?? []
        return Base64URL.encode(ListCursor.mark(query, schema, key) + origin + key)
    }

    /// Returns true when a text is a cursor of rows of this name that another definition had made.
    static func isOfOtherDefinition(_ text: [UInt8], _ schema: KindSchema) -> Bool {
        guard let program = schema.program, let bytes = Base64URL.decode(text),
            let origin = Origin(bytes[min(markCount, bytes.count)...], schema)
        else { return false }
        return origin.definition != program.definition
    }

    /// The size of a mark in bytes.
    private static let markCount = 4

    /// The size of a row's number in bytes.
    private static let numberCount = 6

    /// Returns four bytes that differ between lists and between versions of the keys (FNV-1a over version, kind,
    /// filters, sort, order and key). Clients keep cursors across a restart, so the hash stays as it is.
    private static func mark(_ query: ListQuery, _ schema: KindSchema, _ key: [UInt8]) -> [UInt8] {
        var hash = ListHash(schema)
        hash.add(schema.sorts[query.sort].name.utf8)
        hash.add(query.order.rawValue.utf8)
        let named = query.conditions.map { (name: schema.filters[$0.filter].name, value: $0.value) }
        for (name, value) in named.sorted(by: { $0.name < $1.name }) {
            hash.add(name.utf8)
            hash.add(value.bytes)
            hash.add([0xFF])
        }
        hash.add(key)
        return hash.bytes
    }
}

/// A hash over the version of the keys, a kind's name, and more.
private struct ListHash {
    private var hash: UInt32 = 2_166_136_261

    init(_ schema: KindSchema) {
        add([UInt8(truncatingIfNeeded: ModelVersion.current)])
        add(schema.name.utf8)
    }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    }

    var bytes: [UInt8] { withUnsafeBytes(of: hash.bigEndian) { Array($0) } }
}

/// The definition that made the rows of a list, in the cursors of declared models: its number, and a hash of it and the
/// key.
private struct Origin {
    /// The size in bytes.
    static let count = 12
    private static let hashStart = 8

    let definition: UInt64
    let bytes: [UInt8]

    init(_ definition: UInt64, key: some Sequence<UInt8>, of schema: KindSchema) {
        self.definition = definition
        let number = withUnsafeBytes(of: definition.bigEndian) { Array($0) }
        var hash = ListHash(schema)
        hash.add(number)
        hash.add(key)
        bytes = number + hash.bytes
    }

    /// Reads the definition and the key behind the mark of a cursor; nil where the hash is not theirs.
    init?(_ rest: ArraySlice<UInt8>, _ schema: KindSchema) {
        guard rest.count > Origin.count else { return nil }
        let number = rest.prefix(Origin.hashStart).reduce(0) { $0 << 8 | UInt64($1) }
        self.init(number, key: rest.dropFirst(Origin.count), of: schema)
        guard bytes.elementsEqual(rest.prefix(Origin.count)) else { return nil }
    }
}

extension FilterValue {
    /// Bytes that differ between different values of one filter.
    fileprivate var bytes: [UInt8] {
        var key = KeyBuffer()
        switch self {
        case .pair(let one, let other): one.withBytes { one in other.withBytes { key.addPair(one, $0) } }
        case .text(let text): text.withBytes { key.add($0) }
        case .folded(let text): text.withBytes { key.addFolded($0) }
        case .name, .integer, .number, .decimal, .date, .flag, .fraction, .choice: _ = key.addFixed(self)
        }
        return Array(key.bytes)
    }
}

/// Base64 with the URL alphabet, which is that of IDs (RFC 4648 §5, without padding).
enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 63)])
            }
            bits &= (1 << UInt32(count)) - 1
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
        return text
    }

    static func decode(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text {
            guard let digit = digits.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(digit)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> UInt32(count) & 255))
                bits &= (1 << UInt32(count)) - 1
            }
        }
        return bits == 0 && count < 6 ? bytes : nil
    }
}
