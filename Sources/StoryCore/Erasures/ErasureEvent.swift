/// An event of the store's own in the stream `erasure-N` of an erasure.
package enum ErasureEvent: Equatable, Sendable {
    case erased(Erased)
    case done(ErasureDone)

    /// The category of these streams.
    package static let category = CategoryName(trusted: Array("erasure".utf8))
}

/// The data of `Erased`: the events that it names have no content from this event on.
///
/// An erasure of many scattered events has several of these, one behind the other, each with a part of the positions;
/// everything else is of the whole erasure. None of it is a tag, a key or a text of those events.
package struct Erased: Equatable, Sendable {
    /// The target of the request: `events/order-7`, `events/order-*`, `stories/12345`, or `events` for a selection by tags.
    package let target: String
    /// The rows that go with a user; nil for other targets.
    package let scope: ErasureScope?
    /// The fate of the events' keys and tags.
    package let labels: ErasureLabels
    /// The reason that was given, 1–200 characters.
    package let reason: Text
    /// The history that the positions are of.
    package let log: LogID
    /// The sums of the events.
    package let sums: ErasureSums
    /// The categories of the events, in the order of their first event.
    package let categories: [CategoryName]
    /// The positions of the events, in ascending order.
    package let positions: [ClosedRange<Position>]
    /// The streams whose rows go.
    package let rows: [StreamName]

    /// Creates the data of an order.
    ///
    /// - Parameters:
    ///   - target: the target of the request as requests name it.
    ///   - scope: the rows that go with a user; nil for other targets.
    ///   - log: the history that the positions are of.
    ///   - sums: the sums of the whole erasure.
    ///   - categories: the categories of its events.
    ///   - positions: the positions of those that this order names.
    ///   - rows: the streams whose rows go by this order.
    package init(
        target: String, scope: ErasureScope?, labels: ErasureLabels, reason: Text, log: LogID, sums: ErasureSums,
        categories: [CategoryName], positions: [ClosedRange<Position>], rows: [StreamName]
    ) {
        (self.target, self.scope, self.labels, self.reason) = (target, scope, labels, reason)
        (self.log, self.sums) = (log, sums)
        (self.categories, self.positions, self.rows) = (categories, positions, rows)
    }
}

/// The rows that go with a user.
package enum ErasureScope: String, CaseIterable, Equatable, Sendable {
    /// None: the user's own stream alone.
    case profile
    /// The rows that the user sent or owns, deleted or not.
    case own
    /// These, and the rows that the user received.
    case all
}

/// The fate of the keys and the tags of the events that an erasure takes.
package enum ErasureLabels: String, CaseIterable, Equatable, Sendable {
    /// They stay, so that a repeated write is known and preconditions stay true.
    case keep
    /// They go, also those of events that were erased before.
    case drop
}

/// The sums of the events that an erasure takes.
package struct ErasureSums: Equatable, Sendable {
    /// The number of events.
    package var events: UInt64 = 0
    /// The number of streams that they are of.
    package var streams: UInt64 = 0
    /// The size of their content, in bytes.
    package var bytes: UInt64 = 0
    /// The number of events whose key or tags stay.
    package var labelled: UInt64 = 0

    /// Creates the sums of no events.
    package init() {}
}

extension ErasureSums {
    /// The sums as answers and events have them.
    package var members: [Member] { named.map { Member("\($0)", .count($1)) } }

    fileprivate var named: [(StaticString, UInt64)] {
        [("events", events), ("streams", streams), ("bytes", bytes), ("labelled", labelled)]
    }
}

/// The data of `ErasureDone`: the bytes are gone from the files of the store that leads.
package struct ErasureDone: Equatable, Sendable {
    /// The way in which they went.
    package let media: ErasureMedia

    /// Creates the data from its field.
    package init(media: ErasureMedia) { self.media = media }
}

/// The fate of bytes that are overwritten in a file, by its file system.
package enum ErasureMedia: String, Equatable, Sendable {
    /// They are overwritten where they were.
    case overwritten
    /// The file system writes elsewhere, and frees the blocks that had them.
    case copyOnWrite
}

/// The types of these events, each made once.
private enum ErasureEventType {
    static let erased = EventType.own("Erased")
    static let done = EventType.own("ErasureDone")
}

extension ErasureEvent {
    /// The type that the event is written with.
    package var type: EventType {
        switch self {
        case .erased: ErasureEventType.erased
        case .done: ErasureEventType.done
        }
    }

    /// Writes the members of the event's data.
    func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .erased(let event):
            members.choice("target", event.target)
            if let scope = event.scope { members.choice("scope", scope.rawValue) }
            members.choice("labels", event.labels.rawValue)
            members.text("reason", event.reason)
            members.choice("log", event.log.description)
            for (name, count) in event.sums.named { members.integer(name, Int64(clamping: count)) }
            members.names("categories", event.categories.map(\.spelling))
            members.positions("positions", event.positions)
            if !event.rows.isEmpty { members.names("rows", event.rows.map(\.spelling)) }
        case .done(let event): members.choice("media", event.media.rawValue)
        }
    }
}

// MARK: Reading

/// An event `Erased` as it is read back, for answers and for those who carry it out.
package struct ErasedRecord: Equatable, Sendable {
    /// The position of the event.
    package let position: Position
    /// The user ID of the process that asked for the erasure.
    package let by: UInt32
    /// The number of the erasure, from 1.
    package let number: UInt64
    /// The target of the request.
    package let target: String
    /// The rows that go with a user; nil for other targets.
    package let scope: ErasureScope?
    /// The fate of the events' keys and tags.
    package let labels: ErasureLabels
    /// True where rows of the store's own kinds go.
    package let hasRows: Bool
    /// The reason that was given.
    package let reason: String
    /// The sums of the events.
    package let sums: ErasureSums
    /// The categories of the events.
    package let categories: [String]
    /// The first and the last event of those that this one names.
    package let (first, last): (Position, Position)

    /// Reads an event; nil for any other one.
    ///
    /// - Parameter json: the reader of the event's data.
    package init?(_ record: EventRecord, _ json: any JSONReading) {
        guard let number = ErasureEvent.number(ofStream: record.streamName),
            record.isOfType([ErasureEventType.erased])
        else { return nil }
        var (target, reason, categories) = (String?.none, String?.none, [String]())
        var (scope, labels, hasRows) = (ErasureScope?.none, ErasureLabels.keep, false)
        var numbers: [UInt64] = []
        var sums = ErasureSums()
        record.withData(json) { members in
            for member in members {
                switch member.value {
                case .string(let text) where member.name.equals("target"):
                    target = String(decoding: text, as: UTF8.self)
                case .string(let text) where member.name.equals("reason"):
                    reason = String(decoding: text, as: UTF8.self)
                case .string(let text) where member.name.equals("scope"):
                    scope = ErasureScope(rawValue: String(decoding: text, as: UTF8.self))
                case .string(let text) where member.name.equals("labels"):
                    labels = ErasureLabels(rawValue: String(decoding: text, as: UTF8.self)) ?? .keep
                case .integer(let count): sums.take(UInt64(clamping: count), named: member.name)
                case .array(let text) where member.name.equals("categories"):
                    categories = ErasureEvent.names(text).map { String(decoding: $0, as: UTF8.self) }
                case .array where member.name.equals("rows"): hasRows = true
                case .array(let text) where member.name.equals("positions"):
                    numbers = ErasedRecord.edges(text)
                case _: break
                }
            }
        }
        guard let target, let reason, numbers.count == 2 else { return nil }
        (first, last) = (Position(numbers[0]), Position(numbers[1]))
        (position, by, self.number) = (record.position, record.by, number)
        (self.target, self.reason, self.sums, self.categories) = (target, reason, sums, categories)
        (self.scope, self.labels, self.hasRows) = (scope, labels, hasRows)
    }

    /// True where the built-in models have something of the events: a row, a key or a tag.
    package var touchesModels: Bool { hasRows || labels == .drop }
}

extension ErasedRecord {
    /// Returns the first and the last number of a text; none where it has no number.
    fileprivate static func edges(_ text: UnsafeRawBufferPointer) -> [UInt64] {
        func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
        let first = text.drop { !isDigit($0) }.prefix(while: isDigit)
        let last = text.reversed().drop { !isDigit($0) }.prefix(while: isDigit).reversed()
        return [Array(first), Array(last)].compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }
}

extension ErasureSums {
    fileprivate mutating func take(_ count: UInt64, named name: UnsafeRawBufferPointer) {
        if name.equals("events") { events = count }
        if name.equals("streams") { streams = count }
        if name.equals("bytes") { bytes = count }
        if name.equals("labelled") { labelled = count }
    }
}

extension ErasureEvent {
    /// Returns the number of the erasure whose stream it is; nil for a stream of another category.
    package static func number(ofStream stream: UnsafeRawBufferPointer) -> UInt64? {
        let start = category.spelling.count + 1
        guard stream.count > start, stream.slice(0, count: start).equals("erasure-") else { return nil }
        return UInt64(String(decoding: stream.slice(start, count: stream.count - start), as: UTF8.self))
    }

    /// Returns true for an event `Erased`.
    package static func isOrder(_ record: EventRecord) -> Bool {
        number(ofStream: record.streamName) != nil && record.isOfType([ErasureEventType.erased])
    }

    /// Passes the name of each stream whose row an event `Erased` removes to `visit`; nothing for any other event.
    ///
    /// - Throws: the error of `visit`.
    package static func eachRow<E: Error>(
        of record: EventRecord, _ json: any JSONReading, _ visit: (UnsafeRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        guard isOrder(record) else { return }
        try record.withData(json) { (members) throws(E) in
            guard case .array(let text)? = members.first(where: { $0.name.equals("rows") })?.value else { return }
            for name in names(text) { try visit(UnsafeRawBufferPointer(rebasing: name)) }
        }
    }

    /// Returns the names in the text of an array that the store wrote: no name has a quote.
    fileprivate static func names(_ text: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
        text.split { $0 == 0x22 || $0 == 0x2C || $0 == 0x5B || $0 == 0x5D }
    }

    /// Returns the media of an event `ErasureDone`; nil for any other event.
    package static func media(of record: EventRecord, _ json: any JSONReading) -> ErasureMedia? {
        guard number(ofStream: record.streamName) != nil, record.isOfType([ErasureEventType.done]) else { return nil }
        var media: ErasureMedia?
        record.withData(json) { members in
            guard case .string(let text)? = members.first(where: { $0.name.equals("media") })?.value else { return }
            media = ErasureMedia(rawValue: String(decoding: text, as: UTF8.self))
        }
        return media
    }
}

extension StreamName {
    /// Creates the name of the stream of an erasure.
    package init(erasure number: UInt64) {
        self.init(category: ErasureEvent.category, id: Identifier(trusted: Array("\(number)".utf8)))
    }
}
