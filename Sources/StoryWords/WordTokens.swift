package import StoryCore

/// The tokens of texts and questions for an index that cuts at spaces alone.
///
/// A run of a script without spaces is its pairs of characters, which overlap, and its last character. A question's run is
/// the phrase of its pairs; a single character is the beginning of a token. No token has a quote, a space or ASCII besides
/// small letters and digits, but for the one that ends a text.
package struct WordTokens {
    /// The token that ends a text, so that no phrase spans two.
    package static let end: UInt8 = 0x5F

    private let reader = WordReader()
    /// The tokens of the texts that were added, in UTF-8 with a space behind each.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty list of tokens.
    package init() {}

    /// Forgets the texts.
    package mutating func clear() { bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20) }

    /// Adds the tokens of a text in UTF-8; nothing of one without words.
    package mutating func add(_ text: UnsafeRawBufferPointer) {
        let start = bytes.count
        reader.read(text) { word in WordTokens.append(word.characters, isRun: word.isRun, isAll: true, to: &bytes) }
        if bytes.count > start { bytes += [WordTokens.end, 0x20] }
    }

    /// Returns the question in the language of FTS5.
    package static func expression(_ question: WordQuestion) -> String {
        var text: [UInt8] = []
        for (index, part) in question.wanted.enumerated() {
            if index > 0 { text += " AND ".utf8 }
            append(part, to: &text)
        }
        if !question.unwanted.isEmpty { text = Array("(".utf8) + text + Array(")".utf8) }
        for part in question.unwanted {
            text += " NOT ".utf8
            append(part, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ part: WordQuestion.Part, to text: inout [UInt8]) {
        text.append(0x22)
        for (index, word) in part.words.enumerated() {
            let isLast = index == part.words.count - 1
            word.characters.withUnsafeBufferPointer { append($0, isRun: word.isRun, isAll: !isLast, to: &text) }
        }
        text.removeLast()
        text.append(0x22)
        if let last = part.words.last, last.isRun ? last.characters.count == 1 : part.isPrefix { text += " *".utf8 }
    }

    /// Adds the tokens of a word with a space behind each.
    ///
    /// - Parameter isAll: false for a run that may go on, which ends with its last pair.
    private static func append(
        _ characters: UnsafeBufferPointer<UInt32>, isRun: Bool, isAll: Bool, to bytes: inout [UInt8]
    ) {
        guard isRun else {
            for character in characters { append(character, to: &bytes) }
            return bytes.append(0x20)
        }
        for index in characters.indices {
            let isEnd = index == characters.count - 1
            guard !isEnd || isAll || index == 0 else { return }
            append(characters[index], to: &bytes)
            if !isEnd { append(characters[index + 1], to: &bytes) }
            bytes.append(0x20)
        }
    }

    private static func append(_ character: UInt32, to bytes: inout [UInt8]) {
        switch character {
        case 0..<0x80: bytes.append(UInt8(truncatingIfNeeded: character))
        case 0x80..<0x800:
            bytes.append(UInt8(truncatingIfNeeded: 0xC0 | character >> 6))
            bytes.append(UInt8(truncatingIfNeeded: 0x80 | character & 0x3F))
        case 0x800..<0x10000:
            bytes.append(UInt8(truncatingIfNeeded: 0xE0 | character >> 12))
            bytes.append(UInt8(truncatingIfNeeded: 0x80 | character >> 6 & 0x3F))
            bytes.append(UInt8(truncatingIfNeeded: 0x80 | character & 0x3F))
        case _:
            bytes.append(UInt8(truncatingIfNeeded: 0xF0 | character >> 18))
            bytes.append(UInt8(truncatingIfNeeded: 0x80 | character >> 12 & 0x3F))
            bytes.append(UInt8(truncatingIfNeeded: 0x80 | character >> 6 & 0x3F))
            bytes.append(UInt8(truncatingIfNeeded: 0x80 | character & 0x3F))
        }
    }
}
