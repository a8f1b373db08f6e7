import StoryCore
import StoryWords

/// Reading of queries and of commands to the server.
extension RequestReader {
    func get(_ parts: inout LineParts) throws(Failure) -> ReadAction {
        let (kind, key) = try parts.row()
        // Most have no options, and clearing a table of option values takes longer than reading the rest.
        let moment = parts.options.count == 0 ? nil : try parts.values(scanner).at
        try parts.refuseErrors()
        return .get(kind, try parts.known(key), at: moment)
    }

    func moment(_ parts: inout LineParts) throws(Failure) -> Moment? {
        let moment = try parts.values(scanner).at
        try parts.refuseErrors()
        return moment
    }

    func count(_ parts: inout LineParts) throws(Failure) -> ReadAction {
        guard let kind = parts.kind else { return .countEvents(try ReadQuery(&parts, scanner)) }
        let values = try parts.values(scanner)
        try parts.refuseErrors()
        return .count(kind, values.conditions)
    }

    func find(_ parts: inout LineParts) throws(Failure) -> ReadAction {
        guard parts.kind != nil else { return .find(try FindQuery(&parts, scanner)) }
        return .findRows(try RowFindQuery(&parts, scanner))
    }

    func readEvents(_ parts: inout LineParts) throws(Failure) -> ReadAction {
        parts.isOfMisfits ? try misfits(&parts) : .read(try ReadQuery(&parts, scanner))
    }
}

extension SubscriptionID {
    /// Reads the number of a subscription.
    init(_ parts: inout LineParts) throws(Failure) {
        let text = try parts.known(parts.target).text
        self.init(try ClientsRequest.number("subscription", text, of: "UNSUBSCRIBE 1", &parts))
    }
}

extension [UInt8] {
    /// The longest path on Linux in bytes, without its NUL.
    private static let maxPathCount = 4_095

    /// Reads the path of a directory.
    init(path parts: inout LineParts) throws(Failure) {
        let path = try parts.known(parts.target).text
        if path.count == 0 { parts.reject("directory", .empty, "the directory has no name") }
        if path.count > Self.maxPathCount {
            parts.reject("directory", .tooLong, "a path has at most \(Self.maxPathCount) bytes")
        }
        if path.first(0) != nil { parts.reject("directory", .malformed, "no path has a NUL in it") }
        try parts.refuseErrors()
        self.init(copying: path)
    }
}

extension KindSchema {
    /// The events that may change any of the kind's rows.
    fileprivate var source: EventSelection.Source { program == nil ? .category(categoryName) : .all }
}

extension ListQuery {
    /// Reads the rows that are listed.
    init(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) {
        let kind = try parts.known(parts.kind)
        let values = try parts.values(maxLimit: ListQuery.maxLimit, scanner)
        try parts.refuseErrors()
        self.init(
            kind: kind, conditions: values.conditions, sort: values.sort ?? ListQuery.defaultSort,
            order: values.order ?? .descending, limit: values.limit ?? ListQuery.defaultLimit, after: values.after)
    }
}

extension StreamsQuery {
    /// Reads the streams that are listed.
    init(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) {
        let source = parts.streams()
        let values = try parts.values(maxLimit: StreamsQuery.maxLimit, scanner)
        let after = values.after.flatMap { bytes in
            bytes.withUnsafeBytes { parts.streamName($0, field: OptionName.after.name)?.kept }
        }
        try parts.refuseErrors()
        self.init(
            source: try parts.known(source), after: after, limit: values.limit ?? StreamsQuery.defaultLimit)
    }
}

extension SubscribeQuery {
    /// Reads the events, the row or the list that is followed.
    init(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) {
        guard let kind = parts.kind else {
            let source = parts.events()
            let values = try parts.values(scanner)
            try parts.refuseErrors()
            let selection = EventSelection(source: try parts.known(source), values.query)
            self.init(selection, from: values.from.map { Moment($0) }, log: values.log)
            return
        }
        let schema = parts.catalogue[kind]
        guard parts.targetName == nil else {
            let key = try parts.row().1?.kept
            try parts.refuseErrors()
            let row = try parts.known(key)
            // The row of a declared key may be changed by any event of its category.
            let source: EventSelection.Source =
                schema.keys == .id ? .stream(StreamName(category: schema.categoryName, id: row.id)) : schema.source
            self.init(EventSelection(source: source), subject: .row(kind, row))
            return
        }
        let values = try parts.values(scanner)
        try parts.refuseErrors()
        self.init(EventSelection(source: schema.source), subject: .list(kind, values.conditions))
    }

    /// Reads the records that are sent.
    init(sent parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) {
        let values = try parts.values(scanner)
        try parts.refuseErrors()
        let all = EventSelection(source: .all)
        self.init(all, subject: .records, from: values.from.map { Moment($0) }, log: values.log)
    }
}

extension ReadQuery {
    /// Reads the events that are read or counted.
    fileprivate init(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) {
        let source = parts.events()
        let values = try parts.values(maxLimit: ReadQuery.maxLimit, scanner)
        try parts.refuseErrors()
        self.init(
            selection: EventSelection(source: try parts.known(source), values.query), from: values.from,
            to: values.to, limit: values.limit ?? ReadQuery.defaultLimit, order: values.order ?? .ascending,
            log: values.log)
    }
}

extension FindQuery {
    /// Reads the words and the events that are searched.
    init(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) {
        let source = parts.events()
        let values = try parts.values(maxLimit: FindQuery.maxLimit, scanner)
        let question = try WordQuestion.read(values.question, of: &parts)
        let read = ReadQuery(
            selection: EventSelection(source: try parts.known(source), values.query), from: values.from,
            to: values.to, limit: values.limit ?? FindQuery.defaultLimit, order: values.order ?? .descending,
            log: values.log)
        self.init(question, in: read)
    }
}

extension RowFindQuery {
    /// Reads `sort=`: true for the only one that there is.
    static func isRank(_ text: UnsafeRawBufferPointer) throws(Failure) -> Bool {
        guard text.equals("rank") else { throw Refusals.unknown("found rows have no sort", text, among: ["rank"]) }
        return true
    }

    /// Reads the words and the rows that are searched.
    fileprivate init(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) {
        let kind = try parts.known(parts.kind)
        let values = try parts.values(maxLimit: FindQuery.maxLimit, scanner)
        var after: Position?
        if let text = values.after {
            if case .value(let number) = text.withUnsafeBytes({ DecimalNumber($0) }), number <= Position.max.value {
                after = Position(number)
            } else {
                parts.reject("after", .malformed, "after= is the next of the page before")
            }
            if values.isRanked { parts.reject("after", .notSelected, "sort=rank has one page") }
        }
        let question = try WordQuestion.read(values.question, of: &parts)
        self.init(
            kind, question, where: values.conditions, at: values.at, isRanked: values.isRanked,
            limit: values.limit ?? FindQuery.defaultLimit, after: after)
    }
}

extension WordQuestion {
    /// Returns the question of a line whose values are all read.
    fileprivate static func read(
        _ question: WordQuestion?, of parts: inout LineParts
    ) throws(Failure) -> WordQuestion {
        if parts.seen & OptionName.words.bit == 0 {
            parts.reject(OptionName.words.name, .missing, "words= is missing, such as words=\"spring -cancelled\"")
        }
        try parts.refuseErrors()
        return try parts.known(question)
    }
}

extension TypesQuery {
    /// Reads the types that are listed.
    init(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) {
        let category = parts.target.flatMap { CategoryName(pattern: $0.text) }
        if let text = parts.target?.text, category == nil {
            let start = text.part(0..<(text.first(0x2D) ?? text.count))
            let example = CategoryName(start).map { "\($0)-*" } ?? "note-*"
            let message = "TYPES takes a category, such as \(example): 1–64 bytes of A–Z a–z 0–9 . _ ~, and -*"
            parts.reject("category", .malformed, message)
        }
        let values = try parts.values(maxLimit: TypesQuery.maxLimit, scanner)
        let after = values.after.flatMap(EventType.init)
        if values.after != nil, after == nil {
            parts.reject("after", .malformed, "after= is the next of the page before")
        }
        try parts.refuseErrors()
        self.init(category: category, after: after, limit: values.limit ?? TypesQuery.maxLimit)
    }
}
