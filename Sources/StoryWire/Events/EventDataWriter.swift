import StoryCore

/// Writes the data of an event: a JSON object, one member after the other, or JSON that is there already.
struct EventDataWriter {
    private enum Written {
        case nothing
        case members
        case whole
    }

    /// What comes before the data, and the data.
    private var bytes: [UInt8] = []
    private var written = Written.nothing

    /// Appends what an event's `data` is.
    static func append(_ body: EventBody, to bytes: inout [UInt8]) {
        var writer = EventDataWriter()
        swap(&writer.bytes, &bytes)
        body.write(to: &writer)
        writer.finish()
        swap(&writer.bytes, &bytes)
    }

    private mutating func finish() {
        switch written {
        case .nothing: bytes.appendLiteral("{}")
        case .members: bytes.append(0x7D)
        case .whole: return
        }
    }

    /// Writes what stands before a member's value.
    private mutating func begin(_ name: StaticString) {
        switch written {
        case .nothing: bytes.appendLiteral(#"{""#)
        case .members, .whole: bytes.appendLiteral(#",""#)
        }
        written = .members
        bytes.appendLiteral(name)
        bytes.appendLiteral(#"":"#)
    }
}

extension EventDataWriter: EventMembers {
    mutating func text(_ name: StaticString, _ value: Text) {
        begin(name)
        value.spelling.withUnsafeBytes { bytes.appendString($0) }
    }

    mutating func identifier(_ name: StaticString, _ value: Identifier) {
        begin(name)
        bytes.appendName(value.spelling)
    }

    mutating func date(_ name: StaticString, _ value: Instant) {
        begin(name)
        bytes.append(0x22)
        value.append(to: &bytes)
        bytes.append(0x22)
    }

    mutating func integer(_ name: StaticString, _ value: Int64) {
        begin(name)
        bytes.appendInteger(value)
    }

    mutating func number(_ name: StaticString, _ value: Double) {
        begin(name)
        bytes.appendNumber(value)
    }

    mutating func fraction(_ name: StaticString, _ numerator: UInt32, _ denominator: UInt32) {
        begin(name)
        bytes.append(0x22)
        bytes.appendInteger(UInt64(numerator))
        bytes.append(0x2F)
        bytes.appendInteger(UInt64(denominator))
        bytes.append(0x22)
    }

    mutating func choice(_ name: StaticString, _ value: String) {
        begin(name)
        bytes.appendString(value)
    }

    mutating func whole(_ data: ByteView) {
        data.withUnsafeBytes { bytes.appendRaw($0) }
        written = .whole
    }
}
