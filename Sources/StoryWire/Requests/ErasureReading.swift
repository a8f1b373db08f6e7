import StoryCore

/// Reading of `ERASE`.
extension EraseRequest {
    /// Reads the events that are taken.
    static func read(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) -> RequestAction {
        let key = parts.writeOptions(scanner).key
        let values = try parts.values(scanner)
        let target = try parts.kind == nil ? events(values, &parts) : row(values, &parts)
        if values.dry, key != nil { parts.reject("key", .notSelected, "a dry run writes nothing, so it has no key") }
        if !values.dry, values.reason == nil, !parts.errors.contains(where: { $0.field == "reason" }) {
            parts.reject("reason", .missing, "reason= says why, without naming the person: it stays for ever")
        }
        try parts.refuseErrors()
        let request = EraseRequest(
            try parts.known(target), labels: values.labels ?? .keep, reason: values.reason, expected: values.expected,
            key: key)
        return values.dry ? .operate(.rehearse(request)) : .write(.erase(request))
    }

    /// Reads `events…`; notes errors, and returns nil where the name is wrong.
    private static func events(
        _ values: borrowing OptionValues, _ parts: inout LineParts
    ) throws(Failure) -> EraseTarget? {
        guard let source = parts.events() else { return nil }
        let selection = EventSelection(source: source, values.query)
        try refuseUnclear(selection, &parts)
        return .events(
            ReadQuery(
                selection: selection, from: values.from, to: values.to, limit: 0, order: .ascending, log: values.log))
    }

    /// Reads the address of a row; notes errors, and returns nil where the ID is wrong.
    private static func row(
        _ values: borrowing OptionValues, _ parts: inout LineParts
    ) throws(Failure) -> EraseTarget? {
        guard parts.targetName != nil else {
            parts.reject("id", .missing, "ERASE takes one row: its ID follows the kind, as in stories/12345")
            return nil
        }
        let (kind, id) = try parts.content()
        guard let id else { return nil }
        let (address, stream) = (parts.catalogue[kind].address(RowKey(id)), parts.catalogue[kind].stream(id))
        return parts.catalogue[kind].isOfUsers
            ? .user(address: address, stream, values.scope ?? .own) : .row(address: address, stream)
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

    /// Reads one of some words.
    ///
    /// - Throws: the rule that the text breaks.
    static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: UnsafeRawBufferPointer, _ option: OptionName
    ) throws(FieldError) -> Word {
        if let word = Word(rawValue: String(decoding: text, as: UTF8.self)) { return word }
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        throw FieldError(field: option.name, rule: .notSelected, message: "\(option.name)= is one of: \(words)")
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
