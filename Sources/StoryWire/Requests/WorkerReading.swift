import CSimdJSON
import StoryCore

/// Reading of the requests about cursors and their workers.
enum WorkerReading {
    static func cursor(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) -> WriteAction {
        let name = parts.identifier(try parts.known(parts.target).text, field: "cursor")
        let options = parts.writeOptions(scanner)
        let definition = try CursorDefinition.read(&parts, scanner)
        try parts.refuseErrors()
        return .cursor(
            CursorRequest(
                name: try parts.known(name).kept, definition: definition, key: options.key, version: options.version))
    }

    static func work(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) -> FollowAction {
        let name = parts.identifier(try parts.known(parts.target).text, field: "cursor")
        let values = try parts.values(scanner)
        try parts.refuseErrors()
        return .work(
            WorkRequest(
                cursor: try parts.known(name).kept, share: values.share, waits: values.wait, log: values.log))
    }

    static func cursors(_ parts: inout LineParts) throws(Failure) -> ReadAction {
        parts.target == nil ? .cursors(nil) : .cursors(try name(&parts))
    }

    /// Reads the name of a cursor, which is all that the line has.
    static func name(_ parts: inout LineParts) throws(Failure) -> Identifier {
        let name = parts.identifier(try parts.known(parts.target).text, field: "cursor")
        try parts.refuseErrors()
        return try parts.known(name).kept
    }

    static func parked(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) -> ReadAction {
        let name = parts.identifier(try parts.known(parts.target).text, field: "cursor")
        let values = try parts.values(maxLimit: ParkedQuery.maxLimit, scanner)
        let after = OptionValues.number(values.after, of: "after= is the position of an event", &parts)
        try parts.refuseErrors()
        return .parked(
            ParkedQuery(
                cursor: try parts.known(name).kept, after: Position(after),
                limit: values.limit ?? ParkedQuery.defaultLimit))
    }

    static func acknowledge(_ parts: inout LineParts) throws(Failure) -> WriteAction { .ack(try mark(&parts)) }

    static func fail(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) -> WriteAction {
        let mark = CursorMark.read(try parts.known(parts.target).text, &parts)
        let values = try parts.values(scanner)
        if values.park, values.delay != nil {
            parts.reject("delay", .notSelected, "an event that is parked does not come again by itself")
        }
        try parts.refuseErrors()
        return .fail(
            FailRequest(try parts.known(mark), delay: values.delay, parks: values.park, error: values.error))
    }

    static func retry(_ parts: inout LineParts) throws(Failure) -> WriteAction {
        let target = try parts.known(parts.target).text
        guard target.first(0x40) != nil else { return .retry(RetryRequest(cursor: try name(&parts), event: nil)) }
        let mark = try mark(&parts)
        return .retry(RetryRequest(cursor: mark.cursor, event: mark.event))
    }

    static func discard(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) -> WriteAction {
        let mark = CursorMark.read(try parts.known(parts.target).text, &parts)
        let reason = try parts.values(scanner).reason
        if reason == nil, !parts.errors.contains(where: { $0.field == "reason" }) {
            parts.reject("reason", .missing, "reason= says why the event is given up: it stays for ever")
        }
        try parts.refuseErrors()
        return .discard(DiscardRequest(try parts.known(mark), reason: try parts.known(reason)))
    }

    static func reset(_ parts: inout LineParts) throws(Failure) -> WriteAction {
        var place: ResetRequest.Place?
        // It is the only option of the verb.
        if parts.options.count > 0 {
            let text = parts.options[0].value
            parts.noting { () throws(FieldError) in place = try ResetRequest.Place(spelled: text) }
        } else {
            parts.reject("to", .missing, "to= is a position, start or end")
        }
        let name = try name(&parts)
        return .reset(ResetRequest(cursor: name, to: try parts.known(place)))
    }

    private static func mark(_ parts: inout LineParts) throws(Failure) -> CursorMark {
        let mark = CursorMark.read(try parts.known(parts.target).text, &parts)
        try parts.refuseErrors()
        return try parts.known(mark)
    }
}

extension ResetRequest.Place {
    /// Reads a position from 0 on, `start` or `end`.
    fileprivate init(spelled text: UnsafeRawBufferPointer) throws(FieldError) {
        if text.equals("start") {
            self = .start
        } else if text.equals("end") {
            self = .end
        } else {
            switch DecimalNumber(text) {
            case .value(let number) where number <= Position.max.value: self = .position(Position(number))
            case .value, .tooGreat, .negative:
                let message = "a position is 0 to \(Position.max.value)"
                throw FieldError(field: "to", rule: .outOfRange, message: message)
            case .malformed:
                throw FieldError(field: "to", rule: .malformed, message: "to= is a position, start or end")
            }
        }
    }
}

extension CursorMark {
    /// Reads `NAME@POSITION`; notes an error and returns nil if it is wrong.
    fileprivate static func read(_ text: UnsafeRawBufferPointer, _ parts: inout LineParts) -> CursorMark? {
        var mark: CursorMark?
        parts.noting { () throws(FieldError) in mark = try CursorMark(spelled: text, field: "cursor") }
        return mark
    }

    /// Reads `NAME@POSITION`.
    ///
    /// - Throws: the reason why the text is none, as an error of the given field.
    init(spelled text: UnsafeRawBufferPointer, field: String) throws(FieldError) {
        let message = "an event of a cursor is NAME@POSITION, such as billing@1042"
        guard let at = text.first(0x40) else { throw FieldError(field: field, rule: .malformed, message: message) }
        let name = try Identifier(spelled: text.part(0..<at), field: field)
        switch DecimalNumber(text.part(at + 1..<text.count)) {
        case .value(let number) where 1...Position.max.value ~= number: self.init(name.kept, Position(number))
        case .value, .tooGreat, .negative:
            let message = "a position is 1 to \(Position.max.value)"
            throw FieldError(field: field, rule: .outOfRange, message: message)
        case .malformed: throw FieldError(field: field, rule: .malformed, message: message)
        }
    }
}

/// Reading of the JSON of `CURSOR`.
extension CursorDefinition {
    /// Reads the definition that ends the line; without one, everything is as by default.
    fileprivate static func read(_ parts: inout LineParts, _ scanner: JSONScanner) throws(Failure) -> CursorDefinition {
        guard let body = parts.body else { return CursorDefinition() }
        let document = try scanner.scan(bodyOf: parts)
        guard document.isObject else {
            throw Refusals.syntax("the definition of a cursor is a JSON object, not an array", at: body)
        }
        var (definition, source) = (CursorDefinition(), EventSelection.Source.all)
        var (walk, member) = (scanner.walk(document.root), csj_member())
        while scanner.next(&walk, &member) {
            let value = member.value
            if member.hasKey("on") {
                source = on(value, &parts)
            } else if member.hasKey("from") {
                definition.start = start(value, &parts)
            } else if member.hasKey("shares") {
                definition.shareCount = count(value, of: "shares", in: shares, else: definition.shareCount, &parts)
            } else if member.hasKey("window") {
                definition.window = count(value, of: "window", in: windows, else: definition.window, &parts)
            } else if member.hasKey("lease") {
                definition.lease = count(value, of: "lease", in: leases, else: definition.lease, &parts)
            } else if member.hasKey("attempts") {
                definition.attempts = count(value, of: "attempts", in: attempts, else: definition.attempts, &parts)
            } else if !["tags", "types", "query"].contains(where: { member.hasKey($0) }) {
                let known = "on, tags, types, query, from, shares, window, lease and attempts"
                parts.reject(Refusals.echo(member.keyBytes), .unknownField, "a cursor has \(known)")
            }
        }
        let query = QueryOptions.members(of: document.root, scanner, noting: &parts)
        definition.selection = EventSelection(source: source, query)
        return definition
    }

    private static func on(_ value: csj_value, _ parts: inout LineParts) -> EventSelection.Source {
        let message = "on is events, events/STREAM or events/CATEGORY-*"
        guard value.isString else {
            parts.reject("on", .wrongType, message)
            return .all
        }
        let text = value.stringBytes
        if text.equals("events") { return .all }
        guard text.count > 7, text.part(0..<7).equals("events/") else {
            parts.reject("on", .notSelected, message)
            return .all
        }
        let source = parts.streams(text.part(7..<text.count), field: "on") ?? .all
        let category: CategoryName? =
            switch source {
            case .all: nil
            case .stream(let stream): stream.category
            case .category(let name): name
            }
        if category == CursorEvent.category {
            parts.reject("on", .notSelected, "the events of cursors are delivered to no worker")
        }
        return source.kept
    }

    private static func start(_ value: csj_value, _ parts: inout LineParts) -> Start {
        if value.isString, value.stringBytes.equals("end") { return .end }
        let message = "from is a position from 1 on, or \"end\""
        guard value.kind == .integer else {
            parts.reject("from", value.kind == .number ? .outOfRange : .wrongType, message)
            return .end
        }
        guard let number = UInt64(exactly: value.integer), 1...Position.max.value ~= number else {
            parts.reject("from", .outOfRange, message)
            return .end
        }
        return .position(Position(number))
    }

    private static func count(
        _ value: csj_value, of name: String, in range: ClosedRange<Int>, else otherwise: Int, _ parts: inout LineParts
    ) -> Int {
        let message = "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard value.kind == .integer else {
            parts.reject(name, value.kind == .number ? .outOfRange : .wrongType, message)
            return otherwise
        }
        guard let number = Int(exactly: value.integer), range.contains(number) else {
            parts.reject(name, .outOfRange, message)
            return otherwise
        }
        return number
    }
}

extension EventSelection.Source {
    /// The same with a copy of the name.
    fileprivate var kept: EventSelection.Source {
        switch self {
        case .all: .all
        case .stream(let stream): .stream(stream.kept)
        case .category(let category): .category(category.kept)
        }
    }
}
