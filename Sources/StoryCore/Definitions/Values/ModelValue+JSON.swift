extension ModelValue {
    /// Appends a value of a row as JSON: numbers without exponent, times and texts as strings, maps in the order of their
    /// keys.
    package func appendJSON(to bytes: inout [UInt8]) {
        switch self {
        case .absent, .array, .object: bytes += "null".utf8
        case .boolean(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number): number.append(to: &bytes)
        case .time(let time):
            bytes.append(0x22)
            bytes += time.text.utf8
            bytes.append(0x22)
        case .text(let text): text.appendJSON(to: &bytes)
        case .list(let list):
            bytes.append(0x5B)
            list.forEach { element in
                if element.baseAddress != list.start { bytes.append(0x2C) }
                if let start = element.baseAddress { list.scalar.value(at: start).appendJSON(to: &bytes) }
            }
            bytes.append(0x5D)
        case .map(let map):
            bytes.append(0x7B)
            var isFirst = true
            map.forEach { key, value in
                if !isFirst { bytes.append(0x2C) }
                isFirst = false
                key.appendJSON(to: &bytes)
                bytes.append(0x3A)
                value.appendJSON(to: &bytes)
            }
            bytes.append(0x7D)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Appends the text as a JSON string; quotes, backslashes and control characters are escaped.
    package func appendJSON(to bytes: inout [UInt8]) {
        bytes.append(0x22)
        for byte in self {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0x08: bytes += [0x5C, 0x62]
            case 0x09: bytes += [0x5C, 0x74]
            case 0x0A: bytes += [0x5C, 0x6E]
            case 0x0C: bytes += [0x5C, 0x66]
            case 0x0D: bytes += [0x5C, 0x72]
            case 0..<0x20:
                let digit = byte & 15
                bytes += [0x5C, 0x75, 0x30, 0x30, 0x30 + byte >> 4, digit < 10 ? 0x30 + digit : 0x57 + digit]
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }
}
