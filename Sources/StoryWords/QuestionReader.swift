package import StoryCore

/// The reading of the text of a question.
extension WordQuestion {
    /// Reads a question: parts with white space between them, of which `-` excludes one, quotes hold one together, and `*`
    /// at the end of one leaves its last word open.
    ///
    /// - Throws: the error of the field `words`.
    package init(spelled text: UnsafeRawBufferPointer) throws(FieldError) {
        guard text.count <= WordQuestion.mostBytes else {
            throw WordQuestion.error(.tooLong, "words= has at most \(WordQuestion.mostBytes) bytes")
        }
        let reader = WordReader()
        var (wanted, unwanted) = ([Part](), [Part]())
        for spelled in SpelledPart.all(in: text) {
            guard let part = try spelled.part(reader) else { continue }
            if spelled.isExcluded { unwanted.append(part) } else { wanted.append(part) }
            guard wanted.count + unwanted.count <= WordQuestion.mostParts else {
                throw WordQuestion.error(.tooLong, "words= has at most \(WordQuestion.mostParts) parts")
            }
        }
        guard !wanted.isEmpty else {
            let reason =
                unwanted.isEmpty ? "words= has no word: letters or numbers" : "words= has a word without - at least"
            throw WordQuestion.error(.empty, reason)
        }
        self.init(wanted: wanted, unwanted: unwanted)
    }

    fileprivate static func error(_ rule: FieldRule, _ message: String) -> FieldError {
        FieldError(field: "words", rule: rule, message: message)
    }
}

/// A part of a question as it was written.
private struct SpelledPart {
    /// The bytes without quotes and the signs before and behind them.
    let text: UnsafeRawBufferPointer
    let isExcluded: Bool
    let isQuoted: Bool

    /// Cuts a question into its parts.
    static func all(in text: UnsafeRawBufferPointer) -> [SpelledPart] {
        var (parts, index) = ([SpelledPart](), 0)
        while true {
            while let space = spaceCount(text, at: index) { index += space }
            guard index < text.count else { return parts }
            let isExcluded = text[index] == 0x2D
            if isExcluded { index += 1 }
            let isQuoted = index < text.count && text[index] == 0x22
            if isQuoted { index += 1 }
            let start = index
            while index < text.count {
                if isQuoted ? text[index] == 0x22 : text[index] == 0x22 || spaceCount(text, at: index) != nil { break }
                index += 1
            }
            parts.append(
                SpelledPart(
                    text: UnsafeRawBufferPointer(rebasing: text[start..<index]), isExcluded: isExcluded,
                    isQuoted: isQuoted))
            if isQuoted, index < text.count { index += 1 }
        }
    }

    /// Returns the number of bytes of the white space at an index; nil where there is none.
    private static func spaceCount(_ text: UnsafeRawBufferPointer, at index: Int) -> Int? {
        guard index < text.count else { return nil }
        switch text[index] {
        case 0x09...0x0D, 0x20: return 1
        case 0xC2 where index + 1 < text.count: return text[index + 1] == 0xA0 || text[index + 1] == 0x85 ? 2 : nil
        case 0xE1, 0xE2, 0xE3:
            guard index + 2 < text.count else { return nil }
            switch (text[index], text[index + 1], text[index + 2]) {
            case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF),
                (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80):
                return 3
            case _: return nil
            }
        case _: return nil
        }
    }

    /// Returns the words of the part; nil where it has none.
    ///
    /// - Throws: `malformed` for the beginning of a word that has one character.
    func part(_ reader: WordReader) throws(FieldError) -> WordQuestion.Part? {
        var text = text
        let isOpen = !isQuoted && text.last == 0x2A
        while !isQuoted, text.last == 0x2A { text = UnsafeRawBufferPointer(rebasing: text.dropLast()) }
        var words: [SoughtWord] = []
        reader.read(text) { words.append(SoughtWord([UInt32]($0.characters), isRun: $0.isRun)) }
        guard let last = words.last else { return nil }
        let isPrefix = isOpen && reader.endedInWord
        guard !isPrefix || last.characters.count > 1 else {
            throw WordQuestion.error(.malformed, "the beginning of a word has two characters at least, such as sp*")
        }
        return WordQuestion.Part(words, isPrefix: isPrefix)
    }
}
