import StoryCore

/// A name with its colon, and a value: `,"title":` and `"One"`.
extension [UInt8] {
    mutating func appendMember(_ name: StaticString, _ text: Text) {
        appendLiteral(name)
        appendString([UInt8](text.spelling))
    }

    mutating func appendMember(_ name: StaticString, _ id: Identifier) {
        appendLiteral(name)
        append(0x22)
        append(contentsOf: [UInt8](id.spelling))
        append(0x22)
    }

    mutating func appendMember(_ name: StaticString, _ date: Instant) {
        appendLiteral(name)
        append(0x22)
        append(contentsOf: date.text.utf8)
        append(0x22)
    }

    mutating func appendMember(_ name: StaticString, _ number: Double) {
        appendLiteral(name)
        let isWhole = number.magnitude < 9_007_199_254_740_992 && number == number.rounded()
        append(contentsOf: (isWhole ? "\(Int64(number))" : "\(number)").utf8)
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

    mutating func appendLiteral(_ text: StaticString) { append(contentsOf: "\(text)".utf8) }

    mutating func appendInteger(_ number: some BinaryInteger) { append(contentsOf: "\(number)".utf8) }

    mutating func appendBoolean(_ flag: Bool) { append(contentsOf: "\(flag)".utf8) }

    private mutating func appendString(_ text: [UInt8]) {
        let short: [UInt8: StaticString] = [
            0x08: #"\b"#, 0x09: #"\t"#, 0x0A: #"\n"#, 0x0C: #"\f"#, 0x0D: #"\r"#, 0x22: #"\""#, 0x5C: #"\\"#,
        ]
        append(0x22)
        for byte in text {
            if let escape = short[byte] {
                appendLiteral(escape)
            } else if byte < 0x20 {
                append(contentsOf: (byte < 0x10 ? #"\u000"# : #"\u00"#).utf8)
                append(contentsOf: String(byte, radix: 16).utf8)
            } else {
                append(byte)
            }
        }
        append(0x22)
    }
}
