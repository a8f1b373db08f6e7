import StoryCore
import StoryWords

/// The words of texts and questions: a question, an LF, and a text. Nothing traps, tokens are as an index needs them, and
/// a text answers the questions that are made of its own words.
final class WordTarget: FuzzTarget {
    private let reader = WordReader()

    func run(_ bytes: UnsafeRawBufferPointer) {
        let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        let (question, text) = (UnsafeRawBufferPointer(rebasing: parts[0]), parts.count > 1 ? parts[1] : parts[0])
        let texts = UnsafeRawBufferPointer(rebasing: text)
        let found = words(texts)
        hold(words(texts) == found, "the words of a text are the same again")
        holdTokens(of: texts)
        do throws(FieldError) {
            let question = try WordQuestion(spelled: question)
            _ = matches(question, texts)
            holdExpression(WordTokens.expression(question))
        } catch {
            hold(error.field == "words", "a wrong question names its field")
        }
        for word in found.prefix(8) {
            hold(matches(WordQuestion(wanted: [WordQuestion.Part([word])]), texts), "a text has its words")
        }
        if found.count > 1 {
            hold(
                matches(WordQuestion(wanted: [WordQuestion.Part(Array(found.prefix(4)))]), texts), "and phrases of them"
            )
        }
    }

    private func words(_ text: UnsafeRawBufferPointer) -> [SoughtWord] {
        var words: [SoughtWord] = []
        reader.read(text) { word in
            hold(!word.characters.isEmpty, "a word has a character")
            hold(word.isRun || word.characters.count <= WordReader.mostCharacters, "a word has at most 64 characters")
            words.append(SoughtWord([UInt32](word.characters), isRun: word.isRun))
        }
        return words
    }

    private func matches(_ question: WordQuestion, _ text: UnsafeRawBufferPointer) -> Bool {
        var matcher = WordMatcher(question)
        matcher.add(text)
        return matcher.isMatch
    }

    /// Tokens are UTF-8 with a space behind each, and have no other character of ASCII than an index keeps.
    private func holdTokens(of text: UnsafeRawBufferPointer) {
        var tokens = WordTokens()
        tokens.add(text)
        hold(String(validating: tokens.bytes, as: UTF8.self) != nil, "tokens are UTF-8")
        hold(tokens.bytes.last.map { $0 == 0x20 } ?? true, "a token ends with a space")
        let isPlain = tokens.bytes.allSatisfy { byte in
            byte >= 0x80 || byte == 0x20 || byte == WordTokens.end || (0x61...0x7A).contains(byte)
                || (0x30...0x39).contains(byte)
        }
        hold(isPlain, "a token has no sign of ASCII")
    }

    /// Each phrase is quoted, and nothing in it ends the quotes.
    private func holdExpression(_ text: String) {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        hold(parts.count % 2 == 1, "quotes are in pairs")
        for (index, part) in parts.enumerated() where index % 2 == 0 {
            hold(part.allSatisfy { " ()*ANDOT".contains($0) }, "nothing is outside of quotes but operators: \(text)")
        }
    }
}
