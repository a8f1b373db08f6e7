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

    /// Returns the words of a line, without a tag.
    private func words(of line: String) -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        return words.first?.hasPrefix("@") == true ? Array(words.dropFirst()) : words
    }

    private func shape(_ verb: String) -> RequestShape? {
        table.shapes.first { $0.verb.name == verb.uppercased() }
    }

    private func candidates(_ line: String, _ word: String) -> [String] {
        let words = words(of: line)
        guard let verb = words.first else { return verbs(like: word) }
        guard let shape = shape(verb) else { return [] }
        let kind = words.count > 1 ? self.kind(of: words[1]) : nil
        if let body = body(line) { return members(body, shape, kind) }
        if let last = words.last, !line.hasSuffix(" "), let equals = last.firstIndex(of: "=") {
            return values(of: String(last[..<equals]), shape.verb, kind)
        }
        guard words.count > 1 || shape.target == .none else { return targets(shape, word) }
        return options(shape, kind, isOfEvents: words.count < 2 || words[1].prefix { $0 != "/" } == "events")
    }

    private func verbs(like word: String) -> [String] {
        let verbs = table.shapes.map(\.verb.name)
        return word.first?.isLowercase == true ? verbs.map { $0.lowercased() } : verbs
    }

    private func kind(of target: String) -> KindSchema? {
        let name = target.prefix { $0 != "/" }
        return table.catalogue.kinds.first { $0.name == name }
    }

    private func targets(_ shape: RequestShape, _ word: String) -> [String] {
        let names = shape.kinds.map(\.name)
        return switch shape.target {
        case .kind, .models: names
        case .content: names.map { $0 + "/" }
        case .events: ["events", "events/", "misfits/"]
        case .erased: ["events", "events/"]
        case .subject, .counted, .found: ["events", "events/"] + names
        case .topic: verbs(like: word)
        case .change: NodeChange.names
        case .none, .streams, .category, .stream, .subscription, .client, .directory, .model, .passedOn, .cursor,
            .cursors, .mark, .marks:
            []
        }
    }

    /// Returns the options of a verb for a kind; of one that only the store knows those that every kind has.
    private func options(_ shape: RequestShape, _ kind: KindSchema?, isOfEvents: Bool) -> [String] {
        let filters = shape.takesFilters ? kind?.options.map(\.name) ?? [] : []
        let isUnknown = kind == nil && !isOfEvents
        let options = isUnknown ? shape.optionsOfModels : shape.options(of: kind)
        return (options.map(\.name) + filters).map { $0 + "=" }
    }

    private func values(of option: String, _ verb: Verb, _ kind: KindSchema?) -> [String] {
        switch option {
        case OptionName.sort.name: return kind?.sorts.map(\.name) ?? []
        case OptionName.types.name: return table.catalogue.kinds.flatMap { $0.events.map(\.type) }
        case _:
            if let filter = kind?.filters.first(where: { $0.name == option }) {
                return filter.placeholder == "true|false" ? ["true", "false"] : []
            }
            // The words of a choice are in small letters, and placeholders of values are not.
            let placeholder = OptionName.allCases.first { $0.name == option }?.placeholder(of: verb) ?? ""
            return placeholder.split(separator: "|").map(String.init).filter { $0.allSatisfy(\.isLowercase) }
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
        case .none, .text: names = []
        case .form: names = kind?.formFields(of: shape.verb) ?? []
        case .events: names = ["stream", "version", "type", "data", "meta", "tags"]
        case .definition:
            names = ["on", "tags", "types", "query", "from", "shares", "window", "lease", "attempts"]
        }
        return names.map { $0 + "\":" }
    }
}

// Names that only the store knows.
extension RequestCompletion {
    /// Returns the names of the store that a word may be completed with; nil where none may be.
    ///
    /// - Parameters:
    ///   - line: the text before the word.
    ///   - word: the beginning of the word.
    package func names(after line: String, _ word: String) -> WantedNames? {
        let words = words(of: line)
        guard let verb = words.first, let shape = shape(verb) else { return nil }
        let target = words.count > 1 ? words[1] : nil
        if let body = body(line) {
            guard let source = source(ofMember: member(body), shape, target) else { return nil }
            return WantedNames(source, beginning: word, tail: "\"")
        }
        if let last = words.dropFirst(2).last, !line.hasSuffix(" "), let equals = last.firstIndex(of: "=") {
            guard let source = source(ofOption: String(last[..<equals]), shape, target) else { return nil }
            return WantedNames(source, beginning: word, tail: last.contains("\"") ? "\"" : "")
        }
        guard line.hasSuffix(" ") else { return nil }
        if words.count == 2, shape.target == .change { return WantedNames(.nodes, beginning: word) }
        if words.count == 1 { return names(ofTarget: shape, word) }
        return model(shape, target).map { WantedNames(.filters(of: $0), beginning: word, tail: "=") }
    }

    /// Returns the source of the IDs that a filter or field refers to; nil for another one.
    package func source(referredToBy name: String) -> WantedNames.Source? {
        let kinds = table.catalogue.kinds.lazy.compactMap { $0.reference(of: name) }
        return kinds.first.map { .rows(category: table.catalogue[$0].category) }
    }

    private func source(ofOption name: String, _ shape: RequestShape, _ target: String?) -> WantedNames.Source? {
        if name == OptionName.types.name, shape.options.contains(.types) { return .types(of: target ?? "events") }
        if let model = model(shape, target) {
            if name == OptionName.sort.name { return .sorts(of: model) }
            return shape.optionsOfModels.contains { $0.name == name } ? nil : .values(of: name, model: model)
        }
        let filters = shape.takesFilters ? target.flatMap(kind(of:))?.filters.map(\.name) ?? [] : []
        return filters.contains(name) ? source(referredToBy: name) : nil
    }

    /// Returns the declared model whose rows a verb with filters selects; nil for another target.
    private func model(_ shape: RequestShape, _ target: String?) -> String? {
        guard shape.takesFilters, let target, kind(of: target) == nil, target != "events",
            !target.contains(where: { "/-*".contains($0) })
        else { return nil }
        return target
    }

    private func source(ofMember name: Substring?, _ shape: RequestShape, _ target: String?) -> WantedNames.Source? {
        guard let name else { return nil }
        switch (shape.body, name) {
        case (.form, _): return source(referredToBy: String(name))
        case (.events, "stream"): return .streams(areOfUsers: true)
        case (.events, "type"):
            let category = target?.prefix { $0 != "-" } ?? ""
            return .types(of: category.isEmpty || category == "*" ? "events" : "events/\(category)-*")
        case (.events, _), (.none, _), (.text, _), (.definition, _): return nil
        }
    }

    /// Returns the name of the member whose string begins at the end of a body; nil where none does.
    private func member(_ body: Substring) -> Substring? {
        guard body.hasSuffix("\"") else { return nil }
        let name = body.dropLast().trimmingSuffix { $0 == " " }
        guard name.hasSuffix(":") else { return nil }
        let quoted = name.dropLast().trimmingSuffix { $0 == " " }
        guard quoted.hasSuffix("\""), let start = quoted.dropLast().lastIndex(of: "\"") else { return nil }
        return quoted[quoted.index(after: start)...].dropLast()
    }

    private func names(ofTarget shape: RequestShape, _ word: String) -> WantedNames? {
        switch shape.target {
        case .kind: return models(shape, word)
        case .counted: return events(word) ?? models(shape, word)
        case .content: return rows(shape, word) ?? ids(shape, word) ?? models(shape, word, tail: "/")
        case .subject: return rows(shape, word) ?? events(word) ?? ids(shape, word) ?? models(shape, word)
        case .events: return events(word) ?? misfits(word)
        case .erased, .found: return events(word)
        case .streams: return WantedNames(.streams(areOfUsers: false), beginning: word)
        case .category: return WantedNames(.categories, beginning: word, tail: "-*")
        case .stream: return WantedNames(.streams(areOfUsers: true), beginning: word)
        case .model, .models: return WantedNames(.models, beginning: word)
        case .cursor, .cursors, .marks: return WantedNames(.cursors, beginning: word)
        case .mark: return WantedNames(.cursors, beginning: word, tail: "@")
        case .none, .subscription, .client, .topic, .directory, .change, .passedOn: return nil
        }
    }

    /// Returns the names of declared models, for a verb that reads their rows.
    private func models(_ shape: RequestShape, _ word: String, tail: String = "") -> WantedNames? {
        guard !shape.verb.isWrite, !word.contains("/") else { return nil }
        return WantedNames(.models, beginning: word, tail: tail)
    }

    /// Returns the IDs of a declared model's rows, for a verb that reads one of them.
    private func ids(_ shape: RequestShape, _ word: String) -> WantedNames? {
        let parts = word.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard !shape.verb.isWrite, parts.count == 2, kind(of: parts[0]) == nil, !parts[0].isEmpty else { return nil }
        return WantedNames(.ids(of: parts[0]), lead: parts[0] + "/", beginning: parts[1])
    }

    private func misfits(_ word: String) -> WantedNames? {
        let lead = "misfits/"
        guard word.hasPrefix(lead) else { return nil }
        return WantedNames(.models, lead: lead, beginning: String(word.dropFirst(lead.count)))
    }

    private func rows(_ shape: RequestShape, _ word: String) -> WantedNames? {
        guard let kind = shape.kinds.first(where: { word.hasPrefix($0.name + "/") }) else { return nil }
        let lead = kind.name + "/"
        return WantedNames(.rows(category: kind.category), lead: lead, beginning: String(word.dropFirst(lead.count)))
    }

    private func events(_ word: String) -> WantedNames? {
        let lead = "events/"
        guard word.hasPrefix(lead) else { return nil }
        return WantedNames(.streams(areOfUsers: false), lead: lead, beginning: String(word.dropFirst(lead.count)))
    }
}

extension Substring {
    fileprivate func trimmingSuffix(_ isTrimmed: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}

/// The names of a store that a word may be completed with.
package struct WantedNames: Equatable, Sendable {
    /// The source of the names.
    package enum Source: Equatable, Sendable {
        /// The IDs of the rows whose streams have this category.
        case rows(category: String)
        /// The names of streams, and before their dash their categories.
        ///
        /// - Parameter areOfUsers: true to exclude the streams of the built-in kinds.
        case streams(areOfUsers: Bool)
        /// The categories of streams.
        case categories
        /// The declared models.
        case models
        /// The filters of a declared model.
        case filters(of: String)
        /// The sorts of a declared model.
        case sorts(of: String)
        /// The IDs of a declared model's rows.
        case ids(of: String)
        /// The values that a field of a declared model's rows has.
        case values(of: String, model: String)
        /// The types of the events that a target of `READ` selects.
        case types(of: String)
        /// The cursors of workers.
        case cursors
        /// The nodes of the log.
        case nodes
    }

    /// The source of the names.
    package let source: Source
    /// The part of the word before the name: `stories/`.
    package let lead: String
    /// The beginning of the name.
    package let beginning: String
    /// The text behind the name: the quotation mark that ends a string.
    package let tail: String

    /// Creates a description of names.
    package init(_ source: Source, lead: String = "", beginning: String, tail: String = "") {
        (self.source, self.lead, self.beginning, self.tail) = (source, lead, beginning, tail)
    }
}
