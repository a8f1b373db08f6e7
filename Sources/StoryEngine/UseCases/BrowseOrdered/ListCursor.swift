import StoryCore
import StoryModels

/// The `next` of a page: the sort key and number of its last row, and which list it belongs to.
///
/// It names a place in the order, not a row, so it stays good whatever is added or deleted.
struct ListCursor: Equatable {
    /// Sort key ‖ row's number.
    let place: [UInt8]

    init(place: [UInt8]) { self.place = place }

    /// Nil when the text is no cursor of this list.
    init?(_ text: [UInt8], for query: ListQuery) {
        guard let bytes = Base64URL.decode(text), bytes.count >= 4 + ListCursor.numberCount,
            Array(bytes[..<4]) == ListCursor.mark(query, Array(bytes[4...]))
        else { return nil }
        place = Array(bytes[4...])
    }

    func text(for query: ListQuery) -> [UInt8] { Base64URL.encode(ListCursor.mark(query, place) + place) }

    /// The bytes of a row's number.
    private static let numberCount = 6

    /// Four bytes that tell a place in one list from one in another, or of another version of keys (FNV-1a over version,
    /// kind, filters, sort, order and place).
    private static func mark(_ query: ListQuery, _ place: [UInt8]) -> [UInt8] {
        var hash: UInt32 = 2_166_136_261
        func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 } }
        add([UInt8(truncatingIfNeeded: ModelVersion.current)])
        add(query.kind.name.utf8)
        add(query.sort.rawValue.utf8)
        add(query.order.rawValue.utf8)
        for filter in query.filters.sorted(by: { $0.name.rawValue < $1.name.rawValue }) {
            add(filter.name.rawValue.utf8)
            add(filter.bytes)
            add([0xFF])
        }
        add(place)
        return withUnsafeBytes(of: hash.bigEndian) { Array($0) }
    }
}

extension Filter {
    /// Bytes that tell values of one filter from one another.
    fileprivate var bytes: [UInt8] {
        var key = KeyBuffer()
        switch self {
        case .sender(let id), .recipient(let id), .owner(let id), .story(let id): id.bytes.withBytes { key.addName($0) }
        case .between(let one, let other):
            one.bytes.withBytes { one in other.bytes.withBytes { key.addPair(one, $0) } }
        case .prefecture(let number): key.addInteger(number)
        case .email(let email): email.withBytes { key.addFolded($0) }
        case .unseen(let isWanted): key.add(isWanted ? 1 : 0)
        case .since(let time), .until(let time): key.addDate(time)
        }
        return Array(key.bytes)
    }
}

/// Bytes as text of the ID alphabet (RFC 4648 §5, without padding).
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
