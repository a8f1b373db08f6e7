package import StoryCore

/// A marker of a question's words in a text, for a person who reads it.
package struct WordMarks {
    private let words: [(word: SoughtWord, isPrefix: Bool)]
    private let reader = WordReader()

    /// Prepares for the words that a question wants.
    package init(_ question: WordQuestion) {
        words = question.wanted.flatMap { part in
            part.words.enumerated().map { ($0.element, part.isPrefix && $0.offset == part.words.count - 1) }
        }
    }

    /// Prepares for the words of a question as it is spelled; nil where it is none.
    package init?(spelled text: String) {
        let question = Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(FieldError) in try WordQuestion(spelled: bytes) }
        }
        guard case .success(let question) = question else { return nil }
        self.init(question)
    }

    /// Cuts a text into parts, each with whether it is one of the words.
    package func parts(_ text: String) -> [(text: Substring, isWord: Bool)] {
        var parts: [(text: Substring, isWord: Bool)] = []
        var rest = text[...]
        while let first = rest.first {
            let kind = Kind(first)
            let end = rest.firstIndex { Kind($0) != kind } ?? rest.endIndex
            let piece = rest[..<end]
            rest = rest[end...]
            switch kind {
            case .other: parts.append((piece, false))
            case .letters: parts.append((piece, isMarked(piece)))
            case .run: parts += marked(run: piece)
            }
        }
        return parts
    }

    /// The script of a character, as far as words depend on it.
    private enum Kind {
        case letters
        case run
        case other

        init(_ character: Character) {
            guard character.isLetter || character.isNumber else {
                self = .other
                return
            }
            let isOfRun = character.unicodeScalars.first.map { WordReader.isOfRun(Int32($0.value)) } ?? false
            self = isOfRun ? .run : .letters
        }
    }

    private func isMarked(_ piece: Substring) -> Bool {
        var isMarked = false
        reader.read(String(piece)) { found in
            isMarked =
                isMarked
                || words.contains { sought in
                    guard !sought.word.isRun else { return false }
                    return sought.isPrefix
                        ? found.characters.starts(with: sought.word.characters)
                        : found.characters.elementsEqual(sought.word.characters)
                }
        }
        return isMarked
    }

    /// Marks the words within a run of a script without spaces, where they are written as they were asked for.
    private func marked(run: Substring) -> [(text: Substring, isWord: Bool)] {
        let sought = words.filter(\.word.isRun).map { sought in
            String(String.UnicodeScalarView(sought.word.characters.compactMap { Unicode.Scalar($0) }))
        }
        var (parts, rest) = ([(text: Substring, isWord: Bool)](), run)
        var plain = run.startIndex
        while !rest.isEmpty {
            if let word = sought.first(where: { rest.hasPrefix($0) }) {
                if plain < rest.startIndex { parts.append((run[plain..<rest.startIndex], false)) }
                parts.append((rest.prefix(word.count), true))
                rest = rest.dropFirst(word.count)
                plain = rest.startIndex
            } else {
                rest = rest.dropFirst()
            }
        }
        if plain < run.endIndex { parts.append((run[plain...], false)) }
        return parts
    }
}
