import CUTF8Proc

/// A word of a text; valid until the closure that receives it returns.
package struct TextWord {
    /// The characters in normal form; of a word with spaces around it the first 64.
    package let characters: UnsafeBufferPointer<UInt32>
    /// True for a run of characters of scripts without spaces.
    package let isRun: Bool
}

/// A reader of the words of texts, for one thread at a time.
///
/// A word is a run of letters, numbers and marks of the text in normal form: decomposed for compatibility (NFKD), with
/// full case folding, and decomposed again. Format characters, variation selectors, and the marks of Latin, Greek, Cyrillic,
/// Hebrew and Arabic are dropped, and the rest is composed (NFC). Scripts without spaces make runs of their own.
package final class WordReader {
    /// The most characters of a word that is no run; those behind them do not count.
    package static let mostCharacters = 64
    /// The version of Unicode that words are made by, for indexes, which another one makes useless.
    package static var version: String {
        "unicode-\(String(cString: utf8proc_unicode_version())) utf8proc-\(String(cString: utf8proc_version()))"
    }

    /// The most bytes besides ASCII that are decomposed at once.
    private static let pieceSize = 4_096
    /// A character of UTF-8 has at most 18 characters of its compatibility decomposition, and at least two bytes.
    private let decomposed = UnsafeMutableBufferPointer<Int32>.allocate(capacity: 9 * pieceSize + 64)
    private let folded = UnsafeMutableBufferPointer<Int32>.allocate(capacity: 64)
    /// The characters of the word so far, which are not composed yet.
    private var word: [Int32] = []
    private var isRun = false
    private var isComposed = true
    /// True where the last text ended with a word.
    package private(set) var endedInWord = false

    /// Creates a reader.
    package init() {}

    deinit {
        decomposed.deallocate()
        folded.deallocate()
    }

    /// Visits the words of a text in UTF-8 in their order.
    package func read(_ text: UnsafeRawBufferPointer, _ visit: (TextWord) -> Void) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte < 0x80 {
                take(ascii: byte, visit)
                index += 1
            } else {
                let end = WordReader.pieceEnd(text, from: index)
                take(UnsafeRawBufferPointer(rebasing: text[index..<end]), visit)
                index = end
            }
        }
        endedInWord = !word.isEmpty
        finish(visit)
        if word.capacity > 1 << 16 { word = [] }
    }

    /// Visits the words of a string in their order.
    package func read(_ text: String, _ visit: (TextWord) -> Void) {
        var text = text
        text.withUTF8 { read(UnsafeRawBufferPointer($0), visit) }
    }

    private func take(ascii byte: UInt8, _ visit: (TextWord) -> Void) {
        switch byte {
        case 0x61...0x7A, 0x30...0x39: append(Int32(byte), isRun: false, visit)
        case 0x41...0x5A: append(Int32(byte | 0x20), isRun: false, visit)
        case _: finish(visit)
        }
    }

    /// Returns the end of the bytes besides ASCII from an index on, at most a piece: before a character that begins a
    /// sequence of its own.
    private static func pieceEnd(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        let most = min(text.count, start + pieceSize)
        var end = start
        while end < most, text[end] >= 0x80 { end += 1 }
        guard end == most, most < text.count, text[most] >= 0x80 else { return end }
        var cut = most
        while cut > start + pieceSize / 2 {
            while cut > start, text[cut] & 0xC0 == 0x80 { cut -= 1 }
            if beginsSequence(text, at: cut) { return cut }
            cut -= 1
        }
        // Marks alone: cut between two of them.
        cut = most
        while cut > start + 1, text[cut] & 0xC0 == 0x80 { cut -= 1 }
        return cut
    }

    private static func beginsSequence(_ text: UnsafeRawBufferPointer, at index: Int) -> Bool {
        var character: Int32 = 0
        let start = text.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) + index }
        guard utf8proc_iterate(start, text.count - index, &character) > 0 else { return true }
        return !isMark(character) && !(0x1160...0x11FF ~= character)
    }

    private static func isMark(_ character: Int32) -> Bool {
        switch utf8proc_category(character) {
        case UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME: true
        case _: false
        }
    }

    private func take(_ piece: UnsafeRawBufferPointer, _ visit: (TextWord) -> Void) {
        let compatible = UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_COMPAT.rawValue
        let count = utf8proc_decompose(
            piece.baseAddress?.assumingMemoryBound(to: UInt8.self), piece.count, decomposed.baseAddress,
            decomposed.count, utf8proc_option_t(compatible))
        guard count > 0, count <= decomposed.count else { return finish(visit) }
        let folding = utf8proc_option_t(compatible | UTF8PROC_CASEFOLD.rawValue)
        for index in 0..<count {
            var boundary: Int32 = 0
            let parts = utf8proc_decompose_char(
                decomposed[index], folded.baseAddress, folded.count, folding, &boundary)
            guard parts > 0, parts <= folded.count else { continue }
            for part in 0..<parts { take(folded[part], visit) }
        }
    }

    private func take(_ character: Int32, _ visit: (TextWord) -> Void) {
        guard !WordReader.isDropped(character) else { return }
        switch utf8proc_category(character) {
        case UTF8PROC_CATEGORY_CF: return
        case UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LM,
            UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO,
            UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME:
            append(character, isRun: WordReader.isOfRun(character), visit)
        case _: finish(visit)
        }
    }

    /// Adds a character to the word, or begins another one of its script.
    private func append(_ character: Int32, isRun: Bool, _ visit: (TextWord) -> Void) {
        if isRun != self.isRun {
            finish(visit)
            self.isRun = isRun
        }
        // No four characters compose to one of which more than the first 64 count.
        guard isRun || word.count < 4 * WordReader.mostCharacters else { return }
        if character >= 0x300 { isComposed = false }
        word.append(character)
    }

    private func finish(_ visit: (TextWord) -> Void) {
        guard !word.isEmpty else { return }
        var count = word.count
        let isComposed = isComposed
        word.withUnsafeMutableBufferPointer { word in
            if !isComposed {
                let options = UTF8PROC_COMPOSE.rawValue | UTF8PROC_STABLE.rawValue
                let composed = utf8proc_normalize_utf32(word.baseAddress, count, utf8proc_option_t(options))
                if composed > 0 { count = composed }
            }
            if !isRun { count = min(count, WordReader.mostCharacters) }
            word.withMemoryRebound(to: UInt32.self) { word in
                visit(TextWord(characters: UnsafeBufferPointer(rebasing: word[..<count]), isRun: isRun))
            }
        }
        word.removeAll(keepingCapacity: true)
        self.isComposed = true
    }

    /// Returns true for variation selectors, and for the marks of scripts that are read without them.
    private static func isDropped(_ character: Int32) -> Bool {
        switch character {
        case 0x300...0x36F, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7, 0x610...0x61A, 0x64B...0x65F,
            0x670, 0x6D6...0x6DC, 0xFE00...0xFE0F, 0xE0100...0xE01EF:
            true
        case _: false
        }
    }

    /// Returns true for a character of a script that is written without spaces.
    static func isOfRun(_ character: Int32) -> Bool {
        switch character {
        case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x3005, 0x3007, 0x3040...0x318F,
            0x31A0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        case _: false
        }
    }
}
