import StoryCore

/// A writer of an event's data: a JSON object, one member after the other, or ready JSON.
struct EventDataWriter: ~Copyable {
    /// The part of the data that was written so far.
    private enum Written {
        case nothing
        case members
        case whole
    }

    /// The output, including the JSON before the data.
    private var bytes = ByteWriter()
    private var written = Written.nothing

    /// Appends the JSON of an event's `data`.
    static func append(_ body: EventBody, to bytes: inout ByteWriter) {
        var writer = EventDataWriter()
        swap(&writer.bytes, &bytes)
        body.write(to: &writer)
        writer.finish()
        swap(&writer.bytes, &bytes)
    }

    private mutating func finish() {
        switch written {
        case .nothing: bytes.literal("{}")
        case .members: bytes.byte(0x7D)
        case .whole: return
        }
    }

    /// Writes the separator, the name and the colon before a member's value.
    private mutating func begin(_ name: StaticString) {
        switch written {
        case .nothing: bytes.literal(#"{""#)
        case .members, .whole: bytes.literal(#",""#)
        }
        written = .members
        bytes.literal(name)
        bytes.literal(#"":"#)
    }
}

extension EventDataWriter: EventMembers {
    mutating func text(_ name: StaticString, _ value: Text) {
        begin(name)
        value.spelling.withUnsafeBytes { bytes.string($0) }
    }

    mutating func identifier(_ name: StaticString, _ value: Identifier) {
        begin(name)
        bytes.name(value.spelling)
    }

    mutating func date(_ name: StaticString, _ value: Instant) {
        begin(name)
        bytes.date(value)
    }

    mutating func integer(_ name: StaticString, _ value: Int64) {
        begin(name)
        bytes.integer(value)
    }

    mutating func number(_ name: StaticString, _ value: Double) {
        begin(name)
        bytes.number(value)
    }

    mutating func fraction(_ name: StaticString, _ numerator: UInt32, _ denominator: UInt32) {
        begin(name)
        bytes.byte(0x22)
        bytes.integer(UInt64(numerator))
        bytes.byte(0x2F)
        bytes.integer(UInt64(denominator))
        bytes.byte(0x22)
    }

    mutating func choice(_ name: StaticString, _ value: String) {
        begin(name)
        bytes.string(value)
    }

    mutating func names(_ name: StaticString, _ values: [ByteView]) {
        begin(name)
        array(values) { $0.name($1) }
    }

    mutating func positions(_ name: StaticString, _ ranges: [ClosedRange<Position>]) {
        begin(name)
        array(ranges) { bytes, range in
            bytes.byte(0x5B)
            bytes.integer(range.lowerBound.value)
            bytes.byte(0x2C)
            bytes.integer(range.upperBound.value)
            bytes.byte(0x5D)
        }
    }

    mutating func queries(_ name: StaticString, _ items: [EventSelection]) {
        begin(name)
        bytes.literal(#"{"any":"#)
        array(items) { QueryWriter.append($1, to: &$0) }
        bytes.byte(0x7D)
    }

    private mutating func array<Element>(_ elements: [Element], _ write: (inout ByteWriter, Element) -> Void) {
        bytes.byte(0x5B)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.byte(0x2C) }
            write(&bytes, element)
        }
        bytes.byte(0x5D)
    }

    mutating func whole(_ data: ByteView) {
        bytes.raw(data)
        written = .whole
    }
}

/// The encoder of the items of queries.
private enum QueryWriter {
    /// Appends an item, which has tags, types or a stream.
    static func append(_ item: EventSelection, to bytes: inout ByteWriter) {
        bytes.byte(0x7B)
        var isFirst = true
        func begin(_ name: StaticString, _ bytes: inout ByteWriter) {
            if !isFirst { bytes.byte(0x2C) }
            isFirst = false
            bytes.literal(name)
        }
        switch item.source {
        case .all: break
        case .stream(let stream):
            begin(#""stream":"#, &bytes)
            bytes.name(stream.spelling)
        case .category(let category):
            begin(#""stream":"#, &bytes)
            bytes.string("\(category)-*")
        }
        for (name, values) in [
            (#""tags":"#, item.query.tags.map(\.spelling)), (#""types":"#, item.query.types.map(\.spelling)),
        ] as [(StaticString, [ByteView])] where !values.isEmpty {
            begin(name, &bytes)
            bytes.byte(0x5B)
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.byte(0x2C) }
                bytes.name(value)
            }
            bytes.byte(0x5D)
        }
        bytes.byte(0x7D)
    }
}
