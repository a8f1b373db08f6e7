import StoryCore

/// A line that was typed at the prompt: a request, or one of the prompt's own words.
enum PromptLine: Equatable {
    /// An empty line, or a comment.
    case nothing
    /// The word that empties the screen.
    case clear
    /// A request for the store, which ends the conversation if its verb is QUIT.
    case request(String)

    /// The prompt's own words, with their summaries.
    static let words = [("clear", "Empties the screen."), ("exit", "Ends the conversation, as Ctrl-D does.")]

    init(_ line: String) {
        let text = line.trimmingSpaces
        guard !text.isEmpty, !text.hasPrefix("#") else {
            self = .nothing
            return
        }
        switch text.lowercased() {
        case "clear": self = .clear
        case "exit": self = .request(Verb.follow(.quit).name)
        case _ where text.hasPrefix("?"): self = .request(Verb.operate(.help).name + " " + text.dropFirst())
        default: self = .request(text)
        }
    }

    /// Returns the verb of a request; nil when its first word is not a verb.
    static func verb(of request: String) -> Verb? {
        words(of: request).first.flatMap { Verb(name: $0.uppercased()) }
    }

    /// Returns the word behind the verb of a request.
    static func target(of request: String) -> String? { words(of: request).dropFirst().first.map(String.init) }

    private static func words(of request: String) -> [Substring] {
        request.split(separator: " ").filter { !$0.hasPrefix("@") }
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmingSpaces: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
