import StoryCore

/// Reading of `ERASE`.
extension EraseRequest {
    /// Reads the events that are taken.
    static func read(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) -> RequestAction {
        let source = parts.events()
        let key = parts.writeOptions(scanner).key
        let values = try parts.values(scanner)
        if let source { try refuseUnclear(EventSelection(source: source, values.query), &parts) }
        if values.dry, key != nil { parts.reject("key", .notSelected, "a dry run writes nothing, so it has no key") }
        if !values.dry, values.reason == nil, !parts.errors.contains(where: { $0.field == "reason" }) {
            parts.reject("reason", .missing, "reason= says why, without naming the person: it stays for ever")
        }
        try parts.refuseErrors()
        let query = ReadQuery(
            selection: EventSelection(source: try parts.known(source), values.query), from: values.from, to: values.to,
            limit: 0, order: .ascending, log: values.log)
        let request = EraseRequest(query, reason: values.reason, expected: values.expected, key: key)
        return values.dry ? .operate(.rehearse(request)) : .write(.erase(request))
    }

    /// Notes the items that could be any of the users' own events, and refuses categories of the store's own.
    private static func refuseUnclear(_ selection: EventSelection, _ parts: inout LineParts) throws(Failure) {
        let items = selection.query.items
        for source in [selection.source] + items.map(\.source) { try refuseBuiltIn(source, in: parts.catalogue) }
        guard case .all = selection.source, selection.query.tags.isEmpty else { return }
        let message = "ERASE takes a stream, a category or tags, so that nothing else goes by mistake"
        guard !items.isEmpty else { return parts.reject("tags", .missing, message) }
        for (index, item) in items.enumerated() where item.query.tags.isEmpty {
            guard case .all = item.source else { continue }
            let path = items.count > 1 ? "query.any[\(index)].tags" : "query.tags"
            parts.reject(path, .missing, message)
        }
    }

    private static func refuseBuiltIn(_ source: EventSelection.Source, in catalogue: Catalogue) throws(Failure) {
        let category: CategoryName
        switch source {
        case .all: return
        case .stream(let stream): category = stream.category
        case .category(let name): category = name
        }
        let (isKind, isReserved) = category.spelling.withUnsafeBytes { name in
            (catalogue.kind(category: name) != nil, CategoryName.isReserved(name))
        }
        guard isKind || isReserved else { return }
        throw Failure(.denied, "\(category) is a category of the store's own, whose events cannot be erased")
    }
}

extension OptionValues {
    /// Reads the number that `after=` is of lists without names; zero without one.
    static func number(_ text: [UInt8]?, of message: String, _ parts: inout LineParts) -> UInt64 {
        guard let text else { return 0 }
        if case .value(let value) = text.withBytes({ DecimalNumber($0) }) { return value }
        parts.reject("after", .malformed, message)
        return 0
    }

    /// Reads a text that a person wrote.
    ///
    /// - Throws: the rule that it breaks.
    static func text(
        _ text: UnsafeRawBufferPointer, _ option: OptionName, atMost most: Int
    ) throws(FieldError) -> Text {
        let count = String(decoding: text, as: UTF8.self).count
        if 1...most ~= count { return Text(Array(text)) }
        let message = "\(option.name)= has 1 to \(most) characters"
        throw FieldError(field: option.name, rule: count == 0 ? .empty : .tooLong, message: message)
    }
}

extension ErasuresQuery {
    /// Reads the erasures that are listed.
    init(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) {
        let values = try parts.values(maxLimit: ErasuresQuery.maxLimit, scanner)
        let after = OptionValues.number(values.after, of: "after= is the number of an erasure", &parts)
        try parts.refuseErrors()
        self.init(after: after, limit: values.limit ?? ErasuresQuery.defaultLimit)
    }
}
