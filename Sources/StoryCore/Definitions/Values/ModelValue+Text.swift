extension ModelValue {
    /// Returns the text of a value; nil for lists, maps, arrays, objects, and where there is no value.
    func spelling(in memory: FoldMemory) -> UnsafeRawBufferPointer? {
        switch self {
        case .boolean(let value): return value ? UnsafeRawBufferPointer("true") : UnsafeRawBufferPointer("false")
        case .number(let number):
            let start = memory.allocate(ModelNumber.maxTextCount)
            return UnsafeRawBufferPointer(start: start, count: number.write(to: start))
        case .time(let time): return time.text(in: memory)
        case .text(let text): return text
        case .absent, .list, .map, .array, .object: return nil
        }
    }

    /// Returns the part of a key; nil where the value makes none.
    ///
    /// - Parameter limit: the maximum length of the part, in bytes.
    func keyPart(limit: Int, in memory: FoldMemory) -> UnsafeRawBufferPointer? {
        guard let text = spelling(in: memory), 1...limit ~= text.count else { return nil }
        return text
    }
}

extension Instant {
    /// Returns the moment as a text of a model.
    func text(in memory: FoldMemory) -> UnsafeRawBufferPointer {
        let start = memory.allocate(Instant.textCount)
        write(to: start.bindMemory(to: UInt8.self, capacity: Instant.textCount))
        return UnsafeRawBufferPointer(start: start, count: Instant.textCount)
    }

    /// Reads a time of a model: RFC 3339, where any minute may have a second 60.
    ///
    /// The second 60 is the last millisecond of its minute. Nil where the text is no time of the years 0 to 9999.
    package init?(model text: UnsafeRawBufferPointer) {
        guard text.count > 18, text[17] == 0x36, text[18] == 0x30 else {
            self.init(utf8: text)
            return
        }
        var bytes = [UInt8](text)
        (bytes[17], bytes[18]) = (0x35, 0x39)
        guard let time = Instant(bytes) else { return nil }
        let sinceYearZero = time.milliseconds - Instant.range.lowerBound
        self.init(milliseconds: time.milliseconds - sinceYearZero % 1_000 + 999)
    }
}

/// The operations on texts that models have; none of them needs a table of Unicode.
extension UnsafeRawBufferPointer {
    init(_ text: StaticString) { self.init(start: text.utf8Start, count: text.utf8CodeUnitCount) }

    /// The number of Unicode scalars.
    var scalarCount: Int { reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) } }

    /// Returns the first scalars.
    func prefix(scalars: Int) -> UnsafeRawBufferPointer {
        var left = scalars
        let end = firstIndex { byte in
            if byte & 0xC0 != 0x80 { left -= 1 }
            return left < 0
        }
        return UnsafeRawBufferPointer(rebasing: self[..<(end ?? count)])
    }

    /// Returns a copy in which each byte is another one.
    func mapped(in memory: FoldMemory, _ byte: (UInt8) -> UInt8) -> UnsafeRawBufferPointer {
        let start = memory.allocate(count)
        for (index, old) in enumerated() { start.storeBytes(of: byte(old), toByteOffset: index, as: UInt8.self) }
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Returns a copy with other bytes behind it.
    func appending(_ other: UnsafeRawBufferPointer, in memory: FoldMemory) -> UnsafeRawBufferPointer {
        let start = memory.allocate(count + other.count)
        if let source = baseAddress { start.copyMemory(from: source, byteCount: count) }
        if let source = other.baseAddress { (start + count).copyMemory(from: source, byteCount: other.count) }
        return UnsafeRawBufferPointer(start: start, count: count + other.count)
    }
}

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

/// An offset from UTC: `+09:00`.
package struct ZoneOffset: Hashable, BitwiseCopyable, Sendable {
    /// The minutes east of UTC.
    package let minutes: Int64

    /// Creates the offset of a text; nil where it is none.
    package init?(_ text: Text) {
        let bytes = text.bytes
        guard bytes.count == 6, bytes[3] == 0x3A, bytes[0] == 0x2B || bytes[0] == 0x2D,
            let hours = ZoneOffset.number(bytes[1], bytes[2]), let minutes = ZoneOffset.number(bytes[4], bytes[5]),
            hours < 24, minutes < 60
        else { return nil }
        self.minutes = (bytes[0] == 0x2D ? -1 : 1) * (hours * 60 + minutes)
    }

    private static func number(_ tens: UInt8, _ ones: UInt8) -> Int64? {
        guard 0x30...0x39 ~= tens, 0x30...0x39 ~= ones else { return nil }
        return Int64(tens - 0x30) * 10 + Int64(ones - 0x30)
    }
}
