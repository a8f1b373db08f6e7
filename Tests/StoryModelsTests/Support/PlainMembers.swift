import StoryCore

@testable import StoryWire

/// A name with its colon, and a value: `,"title":` and `"One"`.
extension [UInt8] {
    mutating func appendMember(_ name: StaticString, _ text: Text) {
        appendLiteral(name)
        text.spelling.withUnsafeBytes { appendString($0) }
    }

    mutating func appendMember(_ name: StaticString, _ id: Identifier) {
        appendLiteral(name)
        appendName(id.spelling)
    }

    mutating func appendMember(_ name: StaticString, _ date: Instant) {
        appendLiteral(name)
        append(0x22)
        date.append(to: &self)
        append(0x22)
    }

    mutating func appendMember(_ name: StaticString, _ number: Double) {
        appendLiteral(name)
        appendNumber(number)
    }

    mutating func appendMember(_ name: StaticString, _ duration: ExposureDuration) {
        appendLiteral(name)
        append(0x22)
        appendInteger(UInt64(duration.numerator))
        append(0x2F)
        appendInteger(UInt64(duration.denominator))
        append(0x22)
    }

    mutating func appendMember(_ name: StaticString, _ flash: Flash) {
        appendLiteral(name)
        switch flash {
        case .none: appendLiteral(#""none""#)
        case .normal: appendLiteral(#""normal""#)
        case .redEye: appendLiteral(#""redEye""#)
        }
    }
}
