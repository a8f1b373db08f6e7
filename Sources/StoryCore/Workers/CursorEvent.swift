/// An event of the store's own in the stream `cursor-NAME` of a worker's cursor.
package enum CursorEvent: Equatable, Sendable {
    /// The cursor is made, or its window, lease or attempts are changed.
    case defined(CursorDefined)
    /// The holder knows that the history is another one than before.
    case confirmed(log: LogID)
    /// Every event of a share through this position is done.
    case moved(share: UInt8, Position)
    /// An event failed too often, or was given up: it is set aside.
    case parked(ParkedEvent)
    /// An event that is parked is delivered again; nil: all that are.
    case retried(Position?)
    /// An event that is parked is given up.
    case discarded(Position, reason: Text)
    /// All shares begin again behind this position, and nothing later is parked.
    case reset(Position)
    /// The cursor is gone, and its name is not used again.
    case dropped

    /// The category of these streams.
    package static let category = CategoryName(trusted: Array("cursor".utf8))
}

/// The data of `CursorDefined`.
package struct CursorDefined: Equatable, Sendable {
    /// The history that the positions are of.
    package let log: LogID
    /// The definition.
    package let definition: CursorDefinition
    /// The position that every event through it is done at when the cursor is made.
    package let at: Position

    /// Creates the data from its fields.
    package init(log: LogID, definition: CursorDefinition, at: Position) {
        (self.log, self.definition, self.at) = (log, definition, at)
    }
}

/// The types of these events, each made once.
private enum CursorEventType {
    static let defined = EventType.own("CursorDefined")
    static let confirmed = EventType.own("CursorConfirmed")
    static let moved = EventType.own("CursorMoved")
    static let parked = EventType.own("EventParked")
    static let retried = EventType.own("ParkedRetried")
    static let discarded = EventType.own("ParkedDiscarded")
    static let reset = EventType.own("CursorReset")
    static let dropped = EventType.own("CursorDropped")
}

extension CursorEvent {
    /// The type that the event is written with.
    package var type: EventType {
        switch self {
        case .defined: CursorEventType.defined
        case .confirmed: CursorEventType.confirmed
        case .moved: CursorEventType.moved
        case .parked: CursorEventType.parked
        case .retried: CursorEventType.retried
        case .discarded: CursorEventType.discarded
        case .reset: CursorEventType.reset
        case .dropped: CursorEventType.dropped
        }
    }

    /// Writes the members of the event's data.
    func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .defined(let event): event.write(to: &members)
        case .confirmed(let log): members.choice("log", log.description)
        case .moved(let share, let position):
            members.integer("share", Int64(share))
            members.position("at", position)
        case .parked(let event):
            members.integer("share", Int64(event.share))
            members.position("event", event.event)
            members.integer("attempts", Int64(event.attempts))
            if let error = event.error { members.text("error", error) }
        case .retried(let position): if let position { members.position("event", position) }
        case .discarded(let position, let reason):
            members.position("event", position)
            members.text("reason", reason)
        case .reset(let position): members.position("at", position)
        case .dropped: break
        }
    }
}

extension CursorDefined {
    fileprivate func write(to members: inout some EventMembers & ~Copyable) {
        members.choice("log", log.description)
        members.choice("on", definition.selection.source.target)
        let query = definition.selection.query
        if !query.tags.isEmpty { members.names("tags", query.tags.map(\.spelling)) }
        if !query.types.isEmpty { members.names("types", query.types.map(\.spelling)) }
        if !query.items.isEmpty { members.queries("query", query.items) }
        switch definition.start {
        case .position(let position): members.position("from", position)
        case .end: members.choice("from", "end")
        }
        members.position("at", at)
        members.integer("shares", Int64(definition.shareCount))
        members.integer("window", Int64(definition.window))
        members.integer("lease", Int64(definition.lease))
        members.integer("attempts", Int64(definition.attempts))
    }
}

extension EventMembers where Self: ~Copyable {
    fileprivate mutating func position(_ name: StaticString, _ position: Position) {
        integer(name, Int64(clamping: position.value))
    }
}

extension StreamName {
    /// Creates the name of the stream of a cursor.
    package init(cursor name: Identifier) { self.init(category: CursorEvent.category, id: name) }
}

// MARK: Reading

extension CursorEvent {
    /// Returns the name of the cursor whose stream it is; nil for a stream of another category.
    package static func name(ofStream stream: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let start = category.spelling.count + 1
        guard stream.count > start, stream.slice(0, count: start).equals("cursor-") else { return nil }
        return stream.slice(start, count: stream.count - start)
    }

    /// Reads an event of a cursor's stream; nil for one that is none of the store's own, or whose data are not whole.
    ///
    /// - Parameter json: the reader of the event's data.
    package init?(_ record: EventRecord, _ json: any JSONReading) {
        var read: CursorEvent?
        func isOf(_ type: EventType) -> Bool { record.isOfType([type]) }
        if isOf(CursorEventType.defined) {
            let text = record.data.map { [UInt8](UnsafeRawBufferPointer(rebasing: record.json[$0])) }
            read = text.flatMap { CursorDefined($0, json) }.map { .defined($0) }
        } else {
            record.withData(json) { members in
                let event = members.position("event")
                let share = members.integer("share").flatMap { UInt8(exactly: $0) } ?? 1
                if isOf(CursorEventType.moved) {
                    read = members.position("at").map { .moved(share: share, $0) }
                } else if isOf(CursorEventType.reset) {
                    read = members.position("at").map { .reset($0) }
                } else if isOf(CursorEventType.dropped) {
                    read = .dropped
                } else if isOf(CursorEventType.confirmed) {
                    read = members.text("log").flatMap { LogID($0) }.map { .confirmed(log: $0) }
                } else if isOf(CursorEventType.retried) {
                    read = .retried(event)
                } else if isOf(CursorEventType.discarded), let event {
                    read = .discarded(event, reason: Text(members.text("reason") ?? []))
                } else if isOf(CursorEventType.parked), let event {
                    let attempts = members.integer("attempts").flatMap { Int(exactly: $0) } ?? 0
                    let error = members.text("error").map { Text($0) }
                    read = .parked(ParkedEvent(share: share, event: event, attempts: attempts, error: error))
                }
            }
        }
        guard let read else { return nil }
        self = read
    }
}

extension CursorDefined {
    /// Reads the data of `CursorDefined`; nil where they are none.
    package init?(_ text: [UInt8], _ json: any JSONReading) {
        var draft: (log: LogID, on: EventSelection.Source, start: CursorDefinition.Start, at: Position)?
        var (tags, types, query) = ([EventTag](), [EventType](), [UInt8]?.none)
        var (window, lease, attempts, shares) = (Int64(0), Int64(0), Int64(0), Int64(1))
        json.read(text) { members in
            guard let log = members.text("log").flatMap({ LogID($0) }),
                let on = members.text("on").flatMap({ EventSelection.Source(target: $0) }),
                let at = members.position("at")
            else { return }
            let start = members.position("from").map { CursorDefinition.Start.position($0) } ?? .end
            draft = (log, on, start, at)
            (tags, types) = (members.tags, members.types)
            query = members.object("query")
            window = members.integer("window") ?? 0
            lease = members.integer("lease") ?? 0
            attempts = members.integer("attempts") ?? 0
            shares = members.integer("shares") ?? 1
        }
        guard let draft, window > 0, lease > 0, let shareCount = Int(exactly: shares),
            CursorDefinition.shares.contains(shareCount)
        else { return nil }
        // The reader has one object at a time.
        var (any, items) = ([UInt8]?.none, [EventSelection]())
        if let query { json.read(query) { any = $0.array("any") } }
        for item in any?.objectsOfArray ?? [] {
            json.read(item) { members in
                let source = members.text("stream").flatMap { EventSelection.Source(pattern: $0) } ?? .all
                items.append(EventSelection(source: source, EventQuery(types: members.types, tags: members.tags)))
            }
        }
        let selection = EventSelection(source: draft.on, EventQuery(types: types, tags: tags, items: items))
        let definition = CursorDefinition(
            selection: selection, start: draft.start, shareCount: shareCount, window: Int(clamping: window),
            lease: Int(clamping: lease), attempts: Int(clamping: attempts))
        self.init(log: draft.log, definition: definition, at: draft.at)
    }
}

extension JSONReading {
    fileprivate func read(_ text: [UInt8], _ body: (UnsafeBufferPointer<JSONMember>) -> Void) {
        text.withBytes { text in _ = withObject(text, readable: text.count, body) }
    }
}

extension UnsafeBufferPointer<JSONMember> {
    private func value(_ name: StaticString) -> JSONMember.Value? { first { $0.name.equals(name) }?.value }

    fileprivate func integer(_ name: StaticString) -> Int64? {
        if case .integer(let value)? = value(name) { value } else { nil }
    }

    fileprivate func position(_ name: StaticString) -> Position? {
        integer(name).flatMap { UInt64(exactly: $0) }.map { Position($0) }
    }

    fileprivate func text(_ name: StaticString) -> [UInt8]? {
        if case .string(let value)? = value(name) { [UInt8](value) } else { nil }
    }

    fileprivate func object(_ name: StaticString) -> [UInt8]? {
        if case .object(let value)? = value(name) { [UInt8](value) } else { nil }
    }

    fileprivate func array(_ name: StaticString) -> [UInt8]? {
        if case .array(let value)? = value(name) { [UInt8](value) } else { nil }
    }

    fileprivate var tags: [EventTag] { (array("tags")?.namesOfArray ?? []).compactMap { EventTag($0) } }
    fileprivate var types: [EventType] { (array("types")?.namesOfArray ?? []).compactMap { EventType($0) } }
}

extension [UInt8] {
    /// The strings of an array of names, which have no escapes.
    fileprivate var namesOfArray: [ArraySlice<UInt8>] {
        split(separator: 0x22, omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map(
            \.element)
    }

    /// The objects of an array whose texts have no escapes and whose objects have no objects.
    fileprivate var objectsOfArray: [[UInt8]] {
        var (objects, start, isText) = ([[UInt8]](), Int?.none, false)
        for (index, byte) in enumerated() {
            if byte == 0x22 { isText.toggle() }
            guard !isText else { continue }
            if byte == 0x7B { start = index }
            if byte == 0x7D, let first = start {
                objects.append(Array(self[first...index]))
                start = nil
            }
        }
        return objects
    }
}

extension EventSelection.Source {
    /// Reads `events`, `events/STREAM` or `events/CATEGORY-*`; nil for anything else.
    fileprivate init?(target: [UInt8]) {
        let parts = target.split(separator: 0x2F, maxSplits: 1)
        guard let name = parts.first, name.elementsEqual("events".utf8) else { return nil }
        guard parts.count > 1 else {
            self = .all
            return
        }
        self.init(pattern: Array(parts[1]))
    }

    /// Reads `STREAM` or `CATEGORY-*`; nil for anything else.
    fileprivate init?(pattern: [UInt8]) {
        if pattern.suffix(2).elementsEqual("-*".utf8) {
            guard let category = CategoryName(pattern.dropLast(2)) else { return nil }
            self = .category(category)
        } else {
            guard let stream = StreamName(pattern) else { return nil }
            self = .stream(stream)
        }
    }
}
