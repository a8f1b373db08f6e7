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
