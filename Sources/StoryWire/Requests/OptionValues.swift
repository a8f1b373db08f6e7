import StoryCore
import StoryWords

/// The values of a query's options, each nil if the line does not have it.
struct OptionValues: ~Copyable {
    var at: Moment?
    /// The index of the sort in the schema of the target's kind.
    var sort: Int?
    var (order, limit): (Order?, Int?)
    var (after, from, to): ([UInt8]?, ReadBound?, ReadBound?)
    var types: [EventType] = []
    /// The tags, each once, and the items of the query.
    var (tags, items): ([EventTag], [EventSelection]) = ([], [])
    var log: LogID?
    var (check, dry, park, wait, isRanked) = (false, false, false, false, false)
    var (share, delay, error): (UInt8?, Int?, Text?)
    var (reason, expected): (Text?, UInt64?)
    var (scope, labels): (ErasureScope?, ErasureLabels?)
    var (question, conditions): (WordQuestion?, [Condition]) = (nil, [])

    /// The longest `after=` in bytes: no cursor is longer.
    static let maxCursorCount = 1_024
    private static let positions = 1...Position.max.value
    private static let shareNumbers = 1...UInt64(CursorDefinition.shares.upperBound)

    /// The query of events that the options name.
    var query: EventQuery { EventQuery(types: types, tags: tags, items: items) }

    /// Reads the value of an option; ignores `sort=`, which depends on the kind, `tags=` and `query=`, which may be wrong
    /// in several ways, and the options of writes.
    ///
    /// - Throws: the reason why the text is no such value.
    mutating func take(
        _ option: OptionName, _ text: UnsafeRawBufferPointer, maxLimit: Int
    ) throws(FieldError) {
        switch option {
        case .at: at = Moment(try OptionValues.bound(text, option))
        case .sort: return
        case .order: order = try OptionValues.order(text)
        case .limit: limit = Int(try OptionValues.number(text, option, 1...UInt64(maxLimit)))
        case .after: after = try OptionValues.cursor(text)
        case .from: from = try OptionValues.bound(text, option)
        case .to: to = try OptionValues.bound(text, option)
        case .types: types = try OptionValues.types(text)
        case .log: log = try OptionValues.log(text)
        case .check: check = try OptionValues.flag(text, option)
        case .reason: reason = try OptionValues.text(text, option, atMost: EraseRequest.mostReason)
        case .expect: expected = try OptionValues.number(text, option, 1...UInt64(EraseRequest.mostEvents))
        case .scope: scope = try OptionValues.word(text, option)
        case .labels: labels = try OptionValues.word(text, option)
        case .dry: dry = try OptionValues.flag(text, option)
        case .park: park = try OptionValues.flag(text, option)
        case .wait: wait = try OptionValues.flag(text, option)
        case .share: share = UInt8(clamping: try OptionValues.number(text, option, OptionValues.shareNumbers))
        case .delay: delay = Int(try OptionValues.number(text, option, 0...UInt64(FailRequest.delays.upperBound)))
        case .error: error = try OptionValues.text(text, option, atMost: ParkedEvent.mostError)
        case .words: question = try WordQuestion(spelled: text)
        case .tags, .query, .key, .version, .meta, .unless, .min, .cursor: return
        }
    }

    private static func flag(_ text: UnsafeRawBufferPointer, _ option: OptionName) throws(FieldError) -> Bool {
        if text.equals("true") { return true }
        if text.equals("false") { return false }
        throw FieldError(field: option.name, rule: .notSelected, message: "\(option.name)= is true or false")
    }

    private static func bound(_ text: UnsafeRawBufferPointer, _ option: OptionName) throws(FieldError) -> ReadBound {
        guard DecimalNumber(text) == .malformed else { return .number(try number(text, option, positions)) }
        switch Instant.read(utf8: text) {
        case .instant(let time): return .time(time)
        case .outOfRange:
            let message = "\(option.name)= is a time \(Instant.calendar)"
            throw FieldError(field: option.name, rule: .outOfRange, message: message)
        case .malformed:
            let message = "\(option.name)= is a number or an RFC 3339 time, such as 2026-11-20T12:34:56Z"
            throw FieldError(field: option.name, rule: .malformed, message: message)
        }
    }

    fileprivate static func log(_ text: UnsafeRawBufferPointer) throws(FieldError) -> LogID {
        if text.spellsName(LogID.length) { return LogID(trusted: [UInt8](copying: text)) }
        let message = "log= is the log of a greeting, 1–64 bytes of A–Z a–z 0–9 . _ ~ -"
        throw FieldError(field: "log", rule: text.nameRule(LogID.length), message: message)
    }

    private static func order(_ text: UnsafeRawBufferPointer) throws(FieldError) -> Order {
        if text.equals("asc") { return .ascending }
        if text.equals("desc") { return .descending }
        throw FieldError(field: "order", rule: .notSelected, message: "order= is asc or desc")
    }

    private static func cursor(_ text: UnsafeRawBufferPointer) throws(FieldError) -> [UInt8] {
        if 1...maxCursorCount ~= text.count { return [UInt8](copying: text) }
        let rule: FieldRule = text.count == 0 ? .empty : .tooLong
        throw FieldError(field: "after", rule: rule, message: "after= is the next of the page before")
    }

    private static func types(_ text: UnsafeRawBufferPointer) throws(FieldError) -> [EventType] {
        var types: [EventType] = []
        // The split is limited, since one name too many is enough to refuse the line.
        for name in text.split(separator: 0x2C, maxSplits: EventQuery.mostTypes, omittingEmptySubsequences: false) {
            let name = UnsafeRawBufferPointer(rebasing: name)
            guard types.count < EventQuery.mostTypes else {
                throw FieldError(
                    field: "types", rule: .tooLong, message: "types= names at most \(EventQuery.mostTypes) types")
            }
            guard name.spellsName(EventType.length) else {
                let message = EventType.rule + ", and commas part them"
                throw FieldError(field: "types", rule: .malformed, message: message)
            }
            types.append(EventType(trusted: ByteView(copying: name)))
        }
        return types
    }

    /// Reads the tags of a query, each once; returns an error for each that is none.
    mutating func takeTags(_ text: UnsafeRawBufferPointer) -> [FieldError] {
        guard text.count > 0 else {
            let message = "tags= names a tag, or several that commas part"
            return [FieldError(field: "tags", rule: .empty, message: message)]
        }
        // The split is limited, as that of types is.
        let names = text.split(separator: 0x2C, maxSplits: EventTags.maxCount, omittingEmptySubsequences: false)
        guard names.count <= EventTags.maxCount else {
            let message = "tags= names at most \(EventTags.maxCount) tags"
            return [FieldError(field: "tags", rule: .tooLong, message: message)]
        }
        var errors: [FieldError] = []
        for (index, name) in names.enumerated() {
            let name = UnsafeRawBufferPointer(rebasing: name)
            guard EventTags.isTag(name) else {
                let (rule, message) = (EventTags.ruleBroken(by: name), EventTags.rule + ", and commas part them")
                errors.append(FieldError(field: "tags[\(index)]", rule: rule, message: message))
                continue
            }
            let tag = EventTag(trusted: name)
            if !tags.contains(tag) { tags.append(tag) }
        }
        return errors
    }

    fileprivate static func key(_ text: UnsafeRawBufferPointer) throws(FieldError) -> RequestKey {
        if text.spellsName(RequestKey.length) { return RequestKey(trusted: ByteView(borrowing: text)) }
        let message = "a key is 1–128 bytes of A–Z a–z 0–9 . _ ~ -"
        throw FieldError(field: "key", rule: text.nameRule(RequestKey.length), message: message)
    }

    fileprivate static func meta(_ text: UnsafeRawBufferPointer, _ scanner: JSONScanner) throws(FieldError) -> ByteView
    {
        let document = scanner.scan(text, readable: text.count)
        guard document.isValid else {
            let failure = Refusals.json(document, text, at: 0)
            let byte = if case .column(let column) = failure.detail { " (its byte \(column))" } else { "" }
            let message = "meta= is a JSON object: \(failure.message)\(byte)"
            throw FieldError(field: "meta", rule: .malformed, message: message)
        }
        guard document.isObject else {
            let message = "meta= is a JSON object, such as {\"a\":1}"
            throw FieldError(field: "meta", rule: .wrongType, message: message)
        }
        // White space around an object must not come between the members of an event.
        let object = document.root.raw(in: text)
        if object.first(0x0A) != nil || object.first(0x0D) != nil {
            let message = "meta= is one line: there is a line break in its JSON"
            throw FieldError(field: "meta", rule: .malformed, message: message)
        }
        // In the event's line the object is one level deeper.
        if object.levels >= JSONScanner.maxDepth {
            let message = "meta= has at most \(JSONScanner.maxDepth - 1) levels of JSON inside one another"
            throw FieldError(field: "meta", rule: .malformed, message: message)
        }
        return ByteView(borrowing: object)
    }

    fileprivate static func number(
        _ text: UnsafeRawBufferPointer, _ option: OptionName, _ range: ClosedRange<UInt64>
    ) throws(FieldError) -> UInt64 {
        switch DecimalNumber(text) {
        case .value(let value) where range.contains(value): return value
        case .value, .tooGreat, .negative:
            let message = "\(option.name)= is \(range.lowerBound) to \(range.upperBound)"
            throw FieldError(field: option.name, rule: .outOfRange, message: message)
        case .malformed:
            let message = "\(option.name)= is a whole number in decimal digits"
            throw FieldError(field: option.name, rule: .malformed, message: message)
        }
    }
}

extension WriteOptions {
    /// Reads the value of an option of writes; ignores those of queries, and `unless=`.
    ///
    /// - Throws: the reason why the text is no such value.
    mutating func take(
        _ option: OptionName, _ text: UnsafeRawBufferPointer, _ scanner: JSONScanner
    ) throws(FieldError) {
        switch option {
        case .key: key = try OptionValues.key(text)
        case .version: version = Version(try OptionValues.number(text, option, 0...Position.max.value))
        case .meta: meta = try OptionValues.meta(text, scanner)
        case .log: log = try OptionValues.log(text)
        case .cursor: cursor = try CursorMark(spelled: text, field: option.name)
        case .at, .sort, .order, .limit, .after, .from, .to, .types, .tags, .query, .unless, .check, .min, .reason,
            .expect, .dry, .delay, .park, .error, .scope, .labels, .share, .wait, .words:
            return
        }
    }
}

extension LineParts {
    /// Reads the options of a write; errors in their values are noted in `errors`.
    mutating func writeOptions(_ scanner: JSONScanner) -> WriteOptions {
        guard options.count > 0 else { return WriteOptions() }
        var values = WriteOptions()
        for index in options.indices {
            let part = options[index]
            guard case .option(let option) = part.key else { continue }
            if option == .unless { values.unless = QueryOptions.preconditions(part.value, scanner, noting: &self) }
            noting { () throws(FieldError) in try values.take(option, part.value, scanner) }
        }
        return values
    }

    /// Reads the options of a query; errors in their values are noted in `errors`.
    mutating func values(maxLimit: Int = 1, _ scanner: JSONScanner) throws(Failure) -> OptionValues {
        var values = OptionValues()
        var bounds: [Int] = []
        for index in options.indices {
            let option = options[index]
            switch option.key {
            case .filter(let filter):
                let schema = catalogue[try known(kind)]
                guard !schema.isBoundOfSort(filter) else {
                    bounds.append(index)
                    continue
                }
                let reader = FilterReader(name: schema.filters[filter].name, scanner: scanner)
                noting { () throws(FieldError) in
                    let value = try reader.value(option.value, as: schema.filterShapes[filter])
                    values.conditions.append(Condition(filter, value))
                }
            case .option(.sort) where verb == .read(.find): values.isRanked = try RowFindQuery.isRank(option.value)
            case .option(.sort): values.sort = try sort(option.value)
            case .option(.tags):
                for error in values.takeTags(option.value) { reject(error.field, error.rule, error.message) }
            case .option(.query): values.items = QueryOptions.query(option.value, scanner, noting: &self)
            case .option(let name):
                noting { () throws(FieldError) in try values.take(name, option.value, maxLimit: maxLimit) }
            }
        }
        for index in bounds { try addBound(options[index], to: &values, scanner) }
        return values
    }

    /// Reads a bound of the values that a list is sorted by, once the sort is known.
    private mutating func addBound(
        _ option: OptionPart, to values: inout OptionValues, _ scanner: JSONScanner
    ) throws(Failure) {
        guard case .filter(let first) = option.key else { return }
        let schema = catalogue[try known(kind)]
        let name = schema.filters[first].name
        guard let filter = schema.bound(like: first, of: values.sort ?? ListQuery.defaultSort) else {
            let message = "\(name)= bounds the field that sort= names; rows by created have no bounds"
            return reject(name, .notSelected, message)
        }
        noting { () throws(FieldError) in
            let value = try FilterReader(name: name, scanner: scanner).value(
                option.value, as: schema.filterShapes[filter])
            values.conditions.append(Condition(filter, value))
        }
    }

    private func sort(_ text: UnsafeRawBufferPointer) throws(Failure) -> Int {
        let schema = catalogue[try known(kind)]
        if let sort = schema.sort(named: text) { return sort }
        throw Refusals.unknown("\(schema.name) have no sort", text, among: schema.sorts.map(\.name))
    }
}

extension Minimum {
    /// Reads `min=`; notes an error and becomes nil if its value is wrong.
    init?(_ parts: inout LineParts) {
        for index in parts.options.indices {
            let option = parts.options[index]
            guard case .option(.min) = option.key else { continue }
            if option.value.equals("now") {
                self = .now
                return
            }
            if case .value(let number) = DecimalNumber(option.value), number <= Position.max.value {
                self = .position(Position(number))
                return
            }
            let message = "min= is now, or a position from 0 to \(Position.max.value)"
            parts.reject(OptionName.min.name, .malformed, message)
        }
        return nil
    }
}
