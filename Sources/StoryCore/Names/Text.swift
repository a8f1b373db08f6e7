/// A text that a person wrote: well-formed UTF-8, compared byte by byte.
///
/// Swift's `String` treats "é" and "e\u{301}" as equal; a store that did so would lose a revision between the two.
package struct Text: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the text; valid until the request is handled where they are from a line.
    package let spelling: ByteView

    /// Creates a text of well-formed UTF-8, which the caller has checked (as the JSON scanner does).
    package init(_ bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Creates a text of a view of well-formed UTF-8, which the caller has checked.
    package init(_ spelling: ByteView) { self.spelling = spelling }

    /// Creates a text of a string.
    package init(_ text: String) { self.init(Array(text.utf8)) }

    /// True when the text has no bytes.
    package var isEmpty: Bool { spelling.count == 0 }
    /// A copy of the bytes.
    package var bytes: [UInt8] { [UInt8](spelling) }
    package var description: String { spelling.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// Returns true when there are more characters (grapheme clusters) than `limit`.
    package func exceeds(_ limit: Int) -> Bool {
        // A character has at least one byte, so short texts need no counting.
        guard spelling.count > limit else { return false }
        let text = description
        return text.index(text.startIndex, offsetBy: limit + 1, limitedBy: text.endIndex) != nil
    }
}

/// The tag that a client puts before a request and gets back on each line of its reply: 1–32 bytes.
@usableFromInline
package struct Tag: Hashable, Sendable, CustomStringConvertible {
    /// The length of a tag, in bytes.
    package static let length = 1...ShortBytes.capacity

    /// The bytes of the tag.
    @usableFromInline package let spelling: ShortBytes

    /// Creates a tag; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: Tag.length) else { return nil }
        self.init(trusted: Array(bytes))
    }

    /// Creates a tag from bytes that the caller has checked.
    package init(trusted bytes: [UInt8]) { spelling = bytes.withUnsafeBytes { ShortBytes($0) } }

    /// Creates a tag from a copy of bytes that the caller has checked.
    package init(trusted bytes: UnsafeRawBufferPointer) { spelling = ShortBytes(bytes) }

    @usableFromInline package var description: String {
        spelling.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

/// The ID of a subscription within its connection: 1, 2, 3 … in the order of the requests.
package struct SubscriptionID: Hashable, Comparable, Sendable {
    /// The number itself.
    package let value: UInt64

    /// Creates the ID with a number.
    package init(_ value: UInt64) { self.value = value }

    package static func < (left: SubscriptionID, right: SubscriptionID) -> Bool { left.value < right.value }
}

/// The search for the known name that is closest to a misspelt one.
package enum NearestName {
    /// Names with fewer letters are short.
    private static let shortCount = 6
    /// The longest name that is compared, in bytes.
    private static let maxCount = 64
    /// The number of wrong, missing, extra or swapped letters at which no name is near.
    private static let farDistance = 3

    /// Returns the first of the closest names, ignoring case: one letter may differ in a short name, two in a longer
    /// one. Nil where none is close.
    package static func find(_ name: some Collection<UInt8>, among choices: [String]) -> String? {
        guard name.count <= maxCount else { return nil }
        let wanted = name.map(lowerCased)
        var best: (distance: Int, name: String)?
        for choice in choices {
            let count = max(wanted.count, choice.utf8.count)
            guard abs(wanted.count - choice.utf8.count) < farDistance else { continue }
            let distance = distance(wanted, choice.utf8.map(lowerCased))
            let isClose = distance < (count < shortCount ? 2 : farDistance) && distance < count
            if isClose, distance < best?.distance ?? farDistance { best = (distance, choice) }
        }
        return best?.name
    }

    /// Returns the end of a sentence that names it: `; the nearest is total`; empty where none is close.
    package static func hint(_ name: String, among choices: [String]) -> String {
        find(name.utf8, among: choices).map { "; the nearest is \($0)" } ?? ""
    }

    /// Returns the number of insertions, deletions, substitutions and swaps of neighbours, at most `farDistance`. Only
    /// cells near the diagonal can be below it, so long names cost little.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let empty = Array(repeating: farDistance, count: right.count + 1)
        var beforeLast = empty
        var last = (0...right.count).map { min($0, farDistance) }
        for row in 0..<left.count {
            var current = empty
            current[0] = min(row + 1, farDistance)
            let end = min(row + farDistance, right.count)
            for column in min(max(row - farDistance, 0), end)..<end {
                let isSame = left[row] == right[column]
                var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current[column + 1] = min(cost, farDistance)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }

    private static func lowerCased(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
}
