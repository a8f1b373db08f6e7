import StoryCore

/// A writer of JSON for events and receipts, into room that was reserved once for the whole text, or into a growing
/// buffer of its own.
struct ByteWriter {
    private var end: UnsafeMutablePointer<UInt8>
    private var left: Int
    /// The start of its own buffer, which `free` deallocates; nil if the room belongs to an array.
    private var start: UnsafeMutablePointer<UInt8>?

    fileprivate init(_ end: UnsafeMutablePointer<UInt8>, room: Int) {
        self.end = end
        left = room
        start = nil
    }

    /// Creates a writer with a buffer of its own.
    ///
    /// - Parameter capacity: the initial size of the buffer in bytes.
    init(capacity: Int) {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        (start, end, left) = (memory, memory, capacity)
    }

    /// The contents of its own buffer; valid until the next change.
    var written: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start.map { end - $0 } ?? 0)
    }

    /// Empties its own buffer.
    mutating func rewind() {
        guard let start else { return }
        left += end - start
        end = start
    }

    /// Frees its own buffer; the writer must not be used afterwards.
    func free() { start?.deallocate() }

    /// The length of the longest unsigned number, in bytes.
    static let integerCount = 20

    @inline(__always)
    mutating func literal(_ text: StaticString) {
        copy(UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
    }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        take(1)
        end[-1] = byte
    }

    /// Writes a name of the ID alphabet in quotes.
    mutating func name(_ name: ByteView) {
        name.withUnsafeBytes { self.name($0) }
    }

    /// Writes the bytes of a name of the ID alphabet in quotes.
    @inline(__always)
    mutating func name(_ name: UnsafeRawBufferPointer) {
        byte(0x22)
        raw(name)
        byte(0x22)
    }

    mutating func raw(_ bytes: [UInt8]) { bytes.withUnsafeBytes { raw($0) } }

    mutating func raw(_ bytes: ByteView) { bytes.withUnsafeBytes { raw($0) } }

    @inline(__always)
    mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress { copy(source, bytes.count) }
    }

    mutating func integer(_ number: UInt64) {
        if number < 10 { return byte(0x30 | UInt8(truncatingIfNeeded: number)) }
        take(number.decimalDigitCount)
        var cursor = end
        var rest = number
        while rest >= 100 {
            let (quotient, digits) = rest.quotientAndRemainder(dividingBy: 100)
            cursor -= 2
            cursor.setTwoDigits(0, UInt32(truncatingIfNeeded: digits))
            rest = quotient
        }
        if rest < 10 {
            cursor[-1] = 0x30 | UInt8(truncatingIfNeeded: rest)
        } else {
            (cursor - 2).setTwoDigits(0, UInt32(truncatingIfNeeded: rest))
        }
    }

    mutating func time(_ time: Instant) {
        take(Instant.textCount)
        time.write(to: end - Instant.textCount)
    }

    /// Writes a time that is probably the one written before.
    @inline(__always)
    mutating func time(_ time: Instant, knownTo texts: inout TimeText) {
        take(Instant.textCount)
        texts.write(time, to: end - Instant.textCount)
    }

    @inline(__always)
    private mutating func copy(_ source: UnsafeRawPointer, _ count: Int) {
        take(count)
        let target = UnsafeMutableRawPointer(end - count)
        // Labels and names are short: two overlapping words are cheaper than a call.
        if count > 16 || count < 4 {
            target.copyMemory(from: source, byteCount: count)
        } else if count >= 8 {
            let last = source.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
            target.storeBytes(of: last, toByteOffset: count - 8, as: UInt64.self)
        } else {
            let last = source.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
            target.storeBytes(of: last, toByteOffset: count - 4, as: UInt32.self)
        }
    }

    /// Advances past `count` bytes, which the caller then writes.
    @inline(__always)
    private mutating func take(_ count: Int) {
        if count > left { grow(count) }
        end += count
        left -= count
    }

    /// Grows the buffer to twice its size and `count` bytes more.
    private mutating func grow(_ count: Int) {
        guard let old = start else { preconditionFailure("\(count) bytes in \(left) bytes of room") }
        let used = end - old
        let capacity = 2 * (used + left) + count
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        memory.update(from: old, count: used)
        old.deallocate()
        (start, end, left) = (memory, memory + used, capacity - used)
    }

    fileprivate var unused: Int { left }
}

extension [UInt8] {
    /// Appends the output of `body`, which is at most `most` bytes.
    @inline(__always)
    mutating func appendWritten(atMost most: Int, _ body: (inout ByteWriter) -> Void) {
        append(addingCapacity: most) { (span: inout OutputSpan<UInt8>) in
            span.withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress else { return }
                var writer = ByteWriter(start + count, room: buffer.count - count)
                body(&writer)
                count = buffer.count - writer.unused
            }
        }
    }
}

extension ByteWriter {
    /// Writes a date as a JSON string.
    @inline(__always)
    mutating func date(_ date: Instant) {
        byte(0x22)
        time(date)
        byte(0x22)
    }

    /// Writes a JSON string of well-formed UTF-8; runs of bytes that need no escape are copied whole.
    mutating func string(_ text: UnsafeRawBufferPointer) {
        byte(0x22)
        var start = 0
        while true {
            let end = text.firstEscape(from: start)
            raw(text.part(start..<end))
            guard end < text.count else { break }
            escape(text[end])
            start = end + 1
        }
        byte(0x22)
    }

    private mutating func escape(_ escaped: UInt8) {
        byte(0x5C)
        switch escaped {
        case 0x22, 0x5C: byte(escaped)
        case 0x08: byte(0x62)
        case 0x09: byte(0x74)
        case 0x0A: byte(0x6E)
        case 0x0C: byte(0x66)
        case 0x0D: byte(0x72)
        default:
            literal("u00")
            byte(escaped >> 4 == 0 ? 0x30 : 0x31)
            byte((escaped & 15) < 10 ? 0x30 + (escaped & 15) : 0x57 + (escaped & 15))
        }
    }

    mutating func signed(_ number: Int64) {
        if number < 0 { byte(0x2D) }
        integer(number.magnitude)
    }

    /// Writes whole numbers below 2^53 without a point; others with the standard library.
    mutating func number(_ number: Double) {
        if number.magnitude < 9_007_199_254_740_992, number == number.rounded(.towardZero) {
            signed(Int64(number))
        } else {
            other { $0.appendNumber(number) }
        }
    }

    /// Writes rare values through an array.
    mutating func other(_ write: (inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        write(&bytes)
        raw(bytes)
    }
}
