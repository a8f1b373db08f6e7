import StoryCore

/// The values of a line's options, each nil where the line does not give it.
struct OptionValues: ~Copyable {
    var at: Moment?
    /// The index of the sort in the schema of the target's kind.
    var sort: Int?
    var order: Order?
    var limit: Int?
    var after: [UInt8]?
    var from: ReadBound?
    var to: ReadBound?
    var types: [EventType] = []
    var log: LogID?
    var write = WriteOptions()
    var conditions: [Condition] = []
}

extension LineParts {
    /// How many types one `types=` may name: each event is compared with every one of them.
    static let maxTypeCount = 64
    /// The longest `after=`, in bytes: no cursor is longer.
    static let maxCursorCount = 1_024

    /// Reads every option; what is wrong with their values is noted in `errors`.
    mutating func values(maxLimit: Int = 1, _ scanner: JSONScanner) throws(Failure) -> OptionValues {
        var values = OptionValues()
        guard !options.isEmpty else { return values }
        for option in options {
            let text = option.value
            switch option.key {
            case .filter(let filter):
                if let condition = try condition(filter, text, scanner) { values.conditions.append(condition) }
            case .option(.at): values.at = moment(text)
            case .option(.sort): values.sort = try sort(text)
            case .option(.order): values.order = order(text)
            case .option(.limit): values.limit = number(text, .limit, 1...UInt64(maxLimit)).map { Int($0) }
            case .option(.after): values.after = cursorText(text)
            case .option(.from): values.from = bound(text, .from)
            case .option(.to): values.to = bound(text, .to)
            case .option(.types): values.types = types(text)
            case .option(.log): values.log = log(text)
            case .option(.key): values.write.key = key(text)
            case .option(.version):
                values.write.version = number(text, .version, LineParts.versions).map { Version($0) }
            case .option(.meta): values.write.meta = meta(text, scanner)
            }
        }
        return values
    }

    /// What a filter asks for; nil, and an error noted, when the text spells no value of it.
    ///
    /// - Parameter filter: its index in the schema of the target's kind.
    private mutating func condition(
        _ filter: Int, _ text: UnsafeRawBufferPointer, _ scanner: JSONScanner
    ) throws(Failure) -> Condition? {
        let schema = catalogue[try known(kind)]
        let reader = FilterReader(name: schema.filters[filter].name, scanner: scanner)
        do throws(FieldError) {
            return Condition(filter, try reader.value(text, as: schema.filterShapes[filter]))
        } catch {
            errors.append(error)
            return nil
        }
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

    private mutating func log(_ text: UnsafeRawBufferPointer) -> LogID? {
        if text.spellsName(LogID.length) { return LogID(trusted: [UInt8](copying: text)) }
        reject("log", text.nameRule(LogID.length), "log= is the log of a greeting, 1–64 bytes of A–Z a–z 0–9 . _ ~ -")
        return nil
    }

    private func sort(_ text: UnsafeRawBufferPointer) throws(Failure) -> Int {
        let schema = catalogue[try known(kind)]
        if let sort = schema.sort(named: text) { return sort }
        throw Refusals.unknown("\(schema.name) have no sort", text, among: schema.sorts.map(\.name))
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
        // Of a line that is full of commas no more is looked at than is needed to refuse it.
        for name in text.split(separator: 0x2C, maxSplits: LineParts.maxTypeCount, omittingEmptySubsequences: false) {
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
            let object = document.root.raw(in: text)
            if object.first(0x0A) != nil || object.first(0x0D) != nil {
                reject("meta", .malformed, "meta= is one line: there is a line break in its JSON")
                return nil
            }
            // In the line of its event it lies one level deeper.
            if object.levels >= JSONScanner.maxDepth {
                let most = JSONScanner.maxDepth - 1
                reject("meta", .malformed, "meta= has at most \(most) levels of JSON inside one another")
                return nil
            }
            return ByteView(lending: object)
        }
        let rule: FieldRule = document.isValid ? .wrongType : .malformed
        reject("meta", rule, "meta= is a JSON object in a JSON string, such as \"{\\\"a\\\":1}\"")
        return nil
    }

    private mutating func number(
        _ text: UnsafeRawBufferPointer, _ option: OptionName, _ range: ClosedRange<UInt64>
    ) -> UInt64? {
        switch DecimalNumber(text) {
        case .value(let value) where range.contains(value): return value
        case .value, .tooGreat, .negative:
            reject(option.name, .outOfRange, "\(option.name)= is \(range.lowerBound) to \(range.upperBound)")
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
