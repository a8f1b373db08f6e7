package import StoryCore

/// A matcher that decides by the words of texts alone whether they answer a question, without an index.
package struct WordMatcher {
    private let question: WordQuestion
    private let reader = WordReader()
    /// The words of each text.
    private var texts: [[SoughtWord]] = []

    /// Creates a matcher for a question.
    package init(_ question: WordQuestion) { self.question = question }

    /// Forgets the texts.
    package mutating func clear() { texts.removeAll(keepingCapacity: true) }

    /// Adds a text in UTF-8.
    package mutating func add(_ text: UnsafeRawBufferPointer) {
        var words: [SoughtWord] = []
        reader.read(text) { words.append(SoughtWord([UInt32]($0.characters), isRun: $0.isRun)) }
        if !words.isEmpty { texts.append(words) }
    }

    /// True where each wanted part is in one of the texts, and no unwanted one in any.
    package var isMatch: Bool {
        question.wanted.allSatisfy(isThere) && !question.unwanted.contains(where: isThere)
    }

    private func isThere(_ part: WordQuestion.Part) -> Bool { texts.contains { WordMatcher.has($0, part) } }

    private static func has(_ text: [SoughtWord], _ part: WordQuestion.Part) -> Bool {
        guard text.count >= part.words.count else { return false }
        return (0...text.count - part.words.count).contains { start in
            part.words.indices.allSatisfy { isMatch(text[start + $0], part, at: $0) }
        }
    }

    /// Returns true where a word of a text is the word of a part: a run may go on before the first and behind the last one.
    private static func isMatch(_ found: SoughtWord, _ part: WordQuestion.Part, at index: Int) -> Bool {
        let sought = part.words[index]
        guard found.isRun == sought.isRun else { return false }
        let (isFirst, isLast) = (index == 0, index == part.words.count - 1)
        guard sought.isRun else {
            return isLast && part.isPrefix
                ? found.characters.starts(with: sought.characters) : found.characters == sought.characters
        }
        switch (isFirst, isLast) {
        case (true, true): return contains(found.characters, sought.characters)
        case (true, false): return found.characters.reversed().starts(with: sought.characters.reversed())
        case (false, true): return found.characters.starts(with: sought.characters)
        case (false, false): return found.characters == sought.characters
        }
    }

    private static func contains(_ characters: [UInt32], _ part: [UInt32]) -> Bool {
        guard characters.count >= part.count else { return false }
        return (0...characters.count - part.count).contains { characters[$0...].starts(with: part) }
    }
}
