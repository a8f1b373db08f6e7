import StoryCore

/// Completions of a request line that is being typed.
package struct RequestCompletion: Sendable {
    /// The characters that end a word.
    package static let wordBreaks = " \t={,\""

    private let table: RequestTable

    /// Creates completions for the verbs of a table.
    package init(_ table: RequestTable) { self.table = table }

    /// Returns the completions of a word, each with the character that follows it: `=`, `/` or `":`.
    ///
    /// - Parameters:
    ///   - line: the text before the word.
    ///   - word: the beginning of the word.
    package func words(after line: String, _ word: String) -> [String] {
        candidates(line, word).filter { $0.hasPrefix(word) }
    }

    private func candidates(_ line: String, _ word: String) -> [String] {
        var words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        // A tag may come first.
        if words.first?.hasPrefix("@") == true { words.removeFirst() }
        guard let verb = words.first else { return verbs(like: word) }
        guard let shape = table.shapes.first(where: { $0.verb.rawValue == verb.uppercased() }) else { return [] }
        let kind = words.count > 1 ? self.kind(of: words[1]) : nil
        if let body = body(line) { return members(body, shape, kind) }
        if let last = words.last, !line.hasSuffix(" "), let equals = last.firstIndex(of: "=") {
            return values(of: String(last[..<equals]), kind)
        }
        guard words.count > 1 || shape.target == .none else { return targets(shape, word) }
        return options(shape, kind)
    }

    private func verbs(like word: String) -> [String] {
        let verbs = table.shapes.map(\.verb.rawValue)
        return word.first?.isLowercase == true ? verbs.map { $0.lowercased() } : verbs
    }

    private func kind(of target: String) -> KindSchema? {
        let name = target.prefix { $0 != "/" }
        return table.catalogue.kinds.first { $0.name == name }
    }

    private func targets(_ shape: RequestShape, _ word: String) -> [String] {
        let names = shape.kinds.map(\.name)
        return switch shape.target {
        case .kind: names
        case .content: names.map { $0 + "/" }
        case .events: ["events", "events/"]
        case .subject: ["events", "events/"] + names
        case .topic: verbs(like: word)
        case .none, .streams, .stream, .subscription, .client, .directory: []
        }
    }

    private func options(_ shape: RequestShape, _ kind: KindSchema?) -> [String] {
        let filters = shape.takesFilters ? kind?.filters.map(\.name) ?? [] : []
        return (shape.options.map(\.name) + filters).map { $0 + "=" }
    }

    private func values(of option: String, _ kind: KindSchema?) -> [String] {
        switch option {
        case OptionName.sort.name: kind?.sorts.map(\.name) ?? []
        case OptionName.order.name: ["asc", "desc"]
        case OptionName.types.name: table.catalogue.kinds.flatMap { $0.events.map(\.type) }
        default: kind?.filters.first { $0.name == option }?.placeholder == "true|false" ? ["true", "false"] : []
        }
    }

    /// Returns the JSON at the line's end so far; nil if it has not begun.
    private func body(_ line: String) -> Substring? {
        line.firstIndex { $0 == "{" || $0 == "[" }.map { line[$0...] }
    }

    /// Returns the members of a form or of an event where a name may begin.
    private func members(_ body: Substring, _ shape: RequestShape, _ kind: KindSchema?) -> [String] {
        guard body.hasSuffix("\""), let before = body.dropLast().last(where: { $0 != " " }),
            before == "{" || before == ","
        else { return [] }
        let names: [String]
        switch shape.body {
        case .none: names = []
        case .form: names = kind?.formFields(of: shape.verb) ?? []
        case .events: names = ["stream", "version", "type", "data", "meta", "tags"]
        }
        return names.map { $0 + "\":" }
    }
}
