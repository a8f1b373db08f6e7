import StoryCore

/// Writes what is written for every event and every receipt: into room that was made large enough beforehand, so that
/// not each piece of it asks for room, or into memory of its own, which grows.
struct ByteWriter {
    private var end: UnsafeMutablePointer<UInt8>
    private var left: Int
    /// Where memory of its own begins, which `free` gives back; nil where the room is lent.
    private var start: UnsafeMutablePointer<UInt8>?

    fileprivate init(_ end: UnsafeMutablePointer<UInt8>, room: Int) {
        self.end = end
        left = room
        start = nil
    }

    /// - Parameter capacity: how many bytes it has memory for before it has to grow.
    init(capacity: Int) {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        (start, end, left) = (memory, memory, capacity)
    }

    /// What was written into memory of its own; it dies with the next change.
    var written: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start.map { end - $0 } ?? 0)
    }

    /// Forgets what was written into memory of its own.
    mutating func rewind() {
        guard let start else { return }
        left += end - start
        end = start
    }

    /// Gives memory of its own back; nothing is written any more.
    func free() { start?.deallocate() }

    /// The bytes that the longest number takes.
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

    /// A name of the ID alphabet, between quotes.
    mutating func name(_ name: ByteView) {
        name.withUnsafeBytes { self.name($0) }
    }

    /// The same for a name that is lent.
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

    /// A time that was most likely written before.
    @inline(__always)
    mutating func time(_ time: Instant, knownTo texts: inout TimeText) {
        take(Instant.textCount)
        texts.write(time, to: end - Instant.textCount)
    }

    @inline(__always)
    private mutating func copy(_ source: UnsafeRawPointer, _ count: Int) {
        take(count)
        let target = UnsafeMutableRawPointer(end - count)
        // Labels and names are short: two words that may overlap are cheaper than a call.
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

    /// Moves past so many bytes, which the caller then writes.
    @inline(__always)
    private mutating func take(_ count: Int) {
        if count > left { grow(count) }
        end += count
        left -= count
    }

    /// Makes room for so many bytes more, and for as many as there are.
    private mutating func grow(_ count: Int) {
        guard let old = start else { preconditionFailure("What is written fits the room that was made for it.") }
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
    /// Appends what `body` writes, for which `most` bytes are enough.
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
    /// A date as a JSON string.
    @inline(__always)
    mutating func date(_ date: Instant) {
        byte(0x22)
        time(date)
        byte(0x22)
    }

    /// A JSON string of well-formed UTF-8: runs of bytes that need no escape are copied whole.
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

    /// Whole numbers without a point; others with the library's help.
    mutating func number(_ number: Double) {
        if number.magnitude < 9_007_199_254_740_992, number == number.rounded(.towardZero) {
            signed(Int64(number))
        } else {
            other { $0.appendNumber(number) }
        }
    }

    /// What is seldom enough to be written elsewhere first.
    mutating func other(_ write: (inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        write(&bytes)
        raw(bytes)
    }
}
