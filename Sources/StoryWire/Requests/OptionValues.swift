import StoryCore

/// The values of a line's options, each nil where the line does not give it.
struct OptionValues {
    var at: Moment?
    var sort: SortKey?
    var order: Order?
    var limit: Int?
    var after: [UInt8]?
    var from: ReadBound?
    var to: ReadBound?
    var types: [EventType] = []
    var log: LogID?
    var write = WriteOptions()
    var filters: [Filter] = []
}

extension LineParts {
    /// How many types one `types=` may name: each event is compared with every one of them.
    static let maxTypeCount = 64
    /// The longest `email=`, in bytes.
    static let maxEmailCount = 254
    /// The longest `after=`, in bytes: no cursor is longer.
    static let maxCursorCount = 1_024

    /// Reads every option; what is wrong with their values is noted in `errors`.
    mutating func values(kind: Kind? = nil, maxLimit: Int = 1, _ scanner: JSONScanner) throws(Failure)
        -> OptionValues
    {
        var values = OptionValues()
        guard !options.isEmpty else { return values }
        for option in options {
            let text = option.value
            switch option.name {
            case .at: values.at = moment(text)
            case .sort: values.sort = try sortKey(text, of: kind)
            case .order: values.order = order(text)
            case .limit: values.limit = number(text, .limit, 1...UInt64(maxLimit)).map { Int($0) }
            case .after: values.after = cursorText(text)
            case .from: values.from = bound(text, .from)
            case .to: values.to = bound(text, .to)
            case .types: values.types = types(text)
            case .log: values.log = log(text)
            case .key: values.write.key = key(text)
            case .version: values.write.version = number(text, .version, LineParts.versions).map { Version($0) }
            case .meta: values.write.meta = meta(text, scanner)
            case .sender, .recipient, .owner, .story, .between, .prefecture, .email, .unseen, .since, .until:
                if let filter = filter(option.name, text) { values.filters.append(filter) }
            }
        }
        return values
    }

    private static let positions = 1...Position.max.value
    private static let versions = 0...Position.max.value

    private mutating func moment(_ text: UnsafeRawBufferPointer) -> Moment? { bound(text, .at).map { Moment($0) } }

    private mutating func bound(_ text: UnsafeRawBufferPointer, _ option: OptionName) -> ReadBound? {
        guard DecimalNumber(text) == .malformed else {
            return number(text, option, LineParts.positions).map { .number($0) }
        }
        if let time = Instant(utf8: text) { return .time(time) }
        let message = "\(option.name)= is a number or an RFC 3339 time, such as 2026-11-20T12:34:56Z"
        reject(option.name, .malformed, message)
        return nil
    }

    private mutating func time(_ text: UnsafeRawBufferPointer, _ option: OptionName) -> Instant? {
        if let time = Instant(utf8: text) { return time }
        reject(option.name, .malformed, "\(option.name)= is an RFC 3339 time, such as 2026-11-20T12:34:56Z")
        return nil
    }

    private mutating func log(_ text: UnsafeRawBufferPointer) -> LogID? {
        if text.spellsName(LogID.length) { return LogID(trusted: [UInt8](copying: text)) }
        reject("log", text.nameRule(LogID.length), "log= is the log of a greeting, 1–64 bytes of A–Z a–z 0–9 . _ ~ -")
        return nil
    }

    private func sortKey(_ text: UnsafeRawBufferPointer, of kind: Kind?) throws(Failure) -> SortKey {
        let sorts = kind?.sorts ?? []
        let name = String(decoding: text, as: UTF8.self)
        guard let sort = sorts.first(where: { $0.rawValue == name }) else {
            throw Refusals.unknown("\(kind?.name ?? "events") have no sort", text, among: sorts.map(\.rawValue))
        }
        return sort
    }

    private mutating func order(_ text: UnsafeRawBufferPointer) -> Order? {
        if text.equals("asc") { return .ascending }
        if text.equals("desc") { return .descending }
        reject("order", .notSelected, "order= is asc or desc")
        return nil
    }

    private mutating func cursorText(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        if 1...LineParts.maxCursorCount ~= text.count { return [UInt8](copying: text) }
        reject("after", text.count == 0 ? .empty : .tooLong, "after= is the next of the page before")
        return nil
    }

    private mutating func types(_ text: UnsafeRawBufferPointer) -> [EventType] {
        var types: [EventType] = []
        for name in text.split(separator: 0x2C, omittingEmptySubsequences: false) {
            let name = UnsafeRawBufferPointer(rebasing: name)
            guard types.count < LineParts.maxTypeCount else {
                reject("types", .tooLong, "types= names at most \(LineParts.maxTypeCount) types")
                return []
            }
            guard name.spellsName(EventType.length) else {
                reject("types", .malformed, "a type is 1–64 bytes of A–Z a–z 0–9 . _ ~ -, and commas part them")
                return []
            }
            types.append(EventType(trusted: ByteView(copying: name)))
        }
        return types
    }

    private mutating func key(_ text: UnsafeRawBufferPointer) -> RequestKey? {
        if text.spellsName(RequestKey.length) { return RequestKey(trusted: ByteView(lending: text)) }
        reject("key", text.nameRule(RequestKey.length), "a key is 1–128 bytes of A–Z a–z 0–9 . _ ~ -")
        return nil
    }

    private mutating func meta(_ text: UnsafeRawBufferPointer, _ scanner: JSONScanner) -> ByteView? {
        let document = scanner.scan(text, readable: text.count)
        if document.isValid, document.isObject {
            // White space around an object is no part of it, and must not come between the members of an event.
            return ByteView(lending: document.root.raw(in: text))
        }
        let rule: FieldRule = document.isValid ? .wrongType : .malformed
        reject("meta", rule, "meta= is a JSON object in a JSON string, such as \"{\\\"a\\\":1}\"")
        return nil
    }

    private mutating func filter(_ option: OptionName, _ text: UnsafeRawBufferPointer) -> Filter? {
        switch option {
        case .sender: identifier(text, field: option.name).map { .sender($0.kept) }
        case .recipient: identifier(text, field: option.name).map { .recipient($0.kept) }
        case .owner: identifier(text, field: option.name).map { .owner($0.kept) }
        case .story: identifier(text, field: option.name).map { .story($0.kept) }
        case .between: pair(text)
        case .prefecture: number(text, .prefecture, 1...47, .notSelected).map { .prefecture(Int64($0)) }
        case .email: email(text)
        case .unseen: flag(text)
        case .since: time(text, .since).map { .since($0) }
        case .until: time(text, .until).map { .until($0) }
        case .at, .sort, .order, .limit, .after, .from, .to, .types, .log, .key, .version, .meta: nil
        }
    }

    private mutating func pair(_ text: UnsafeRawBufferPointer) -> Filter? {
        let comma = text.first(0x2C) ?? text.count
        let first = text.part(0..<comma)
        let second = text.part(min(comma + 1, text.count)..<text.count)
        guard first.spellsName(Identifier.length), second.spellsName(Identifier.length) else {
            reject("between", .malformed, "between= is two IDs with a comma between them")
            return nil
        }
        let ids = (Identifier(trusted: ByteView(copying: first)), Identifier(trusted: ByteView(copying: second)))
        return .between(ids.0, ids.1)
    }

    private mutating func email(_ text: UnsafeRawBufferPointer) -> Filter? {
        if 1...LineParts.maxEmailCount ~= text.count {
            return .email(text.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 })
        }
        reject("email", text.count == 0 ? .empty : .tooLong, "an email address has 1–254 bytes")
        return nil
    }

    private mutating func flag(_ text: UnsafeRawBufferPointer) -> Filter? {
        if text.equals("true") { return .unseen(true) }
        if text.equals("false") { return .unseen(false) }
        reject("unseen", .notSelected, "unseen= is true or false")
        return nil
    }

    private mutating func number(
        _ text: UnsafeRawBufferPointer, _ option: OptionName, _ range: ClosedRange<UInt64>,
        _ rule: FieldRule = .outOfRange
    ) -> UInt64? {
        switch DecimalNumber(text) {
        case .value(let value) where range.contains(value): return value
        case .value, .tooGreat, .negative:
            reject(option.name, rule, "\(option.name)= is \(range.lowerBound) to \(range.upperBound)")
        case .malformed:
            reject(option.name, .malformed, "\(option.name)= is a whole number in decimal digits")
        }
        return nil
    }
}

extension Moment {
    /// The moment that a bound is where numbers are positions.
    init(_ bound: ReadBound) {
        switch bound {
        case .number(let number): self = .position(Position(number))
        case .time(let time): self = .time(time)
        }
    }
}
