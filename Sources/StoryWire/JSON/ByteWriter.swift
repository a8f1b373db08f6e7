import CSimdJSON
import StoryCore

/// A writer of lines and events into a growing buffer, which it frees when it is destroyed.
package struct ByteWriter: ~Copyable {
    /// The capacity of the first buffer of a writer that was created without one, in bytes.
    private static let leastCapacity = 64

    private var start: UnsafeMutablePointer<UInt8>?
    /// The number of bytes that were written.
    package private(set) var count = 0
    /// The size of the buffer in bytes.
    package private(set) var capacity = 0

    /// Creates a writer, which allocates its buffer at the first write.
    package init() {}

    /// Creates a writer with a buffer.
    ///
    /// - Parameter capacity: the initial size of the buffer in bytes.
    package init(capacity: Int) { reserve(capacity) }

    deinit { start?.deallocate() }

    /// True when nothing was written.
    package var isEmpty: Bool { count == 0 }

    /// The bytes that were written; valid until the next change.
    package var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Returns the bytes that `body` writes.
    package static func bytes(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter(capacity: 512)
        body(&writer)
        defer { withExtendedLifetime(writer) {} }
        return [UInt8](writer.written)
    }

    /// Removes all bytes, and keeps the buffer.
    package mutating func removeAll() { count = 0 }

    /// Removes the bytes from an offset on.
    package mutating func truncate(to offset: Int) { count = min(count, offset) }

    /// Removes the first bytes, which must have been written.
    package mutating func removeFirst(_ removed: Int) {
        count -= removed
        if let start { UnsafeMutableRawPointer(start).copyMemory(from: start + removed, byteCount: count) }
    }

    /// Ensures that the buffer has this size at least, in bytes.
    package mutating func reserve(_ least: Int) {
        guard least > capacity else { return }
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: least)
        if let start {
            memory.update(from: start, count: count)
            start.deallocate()
        }
        (start, capacity) = (memory, least)
    }

    /// Advances past `count` bytes, which the caller then writes; returns their address.
    @inline(__always)
    private mutating func take(_ taken: Int) -> UnsafeMutablePointer<UInt8> {
        if let start, taken <= capacity - count {
            defer { count += taken }
            return start + count
        }
        return grow(taken)
    }

    /// Advances past `count` bytes, which the caller writes before any other change; returns their address.
    mutating func advance(_ count: Int) -> UnsafeMutablePointer<UInt8> { take(count) }

    @inline(never)
    private mutating func grow(_ taken: Int) -> UnsafeMutablePointer<UInt8> {
        reserve(max(2 * capacity, count + taken, ByteWriter.leastCapacity))
        return take(taken)
    }
}

extension ByteWriter {
    /// Writes a literal of the program as it is.
    @inline(__always)
    package mutating func literal(_ text: StaticString) {
        copy(UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
    }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        take(1).pointee = byte
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

    mutating func raw(_ bytes: ByteView) { bytes.withUnsafeBytes { raw($0) } }

    /// Writes bytes as they are.
    @inline(__always)
    package mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress { copy(source, bytes.count) }
    }

    /// Writes a number in decimal digits.
    mutating func integer(_ number: UInt64) {
        if number < 10 { return byte(0x30 | UInt8(truncatingIfNeeded: number)) }
        let digits = number.decimalDigitCount
        var cursor = take(digits) + digits
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

    /// Writes a time without quotes.
    mutating func time(_ time: Instant) {
        time.write(to: take(Instant.textCount))
    }

    /// Writes a time that is probably the one written before.
    @inline(__always)
    mutating func time(_ time: Instant, knownTo texts: inout TimeText) {
        texts.write(time, to: take(Instant.textCount))
    }

    @inline(__always)
    private mutating func copy(_ source: UnsafeRawPointer, _ count: Int) {
        let target = UnsafeMutableRawPointer(take(count))
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

    mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    }

    mutating func integer(_ number: Int) { integer(Int64(number)) }

    mutating func integer(_ number: Int64) {
        if number < 0 { byte(0x2D) }
        integer(number.magnitude)
    }

    /// Writes the shortest spelling of a number that reads back the same; whole ones without a point.
    mutating func number(_ number: Double) {
        guard number.isFinite else { return literal("null") }
        // Up to 2^53 every whole number is exact.
        if number.magnitude < 9_007_199_254_740_992, number == number.rounded(.towardZero) {
            return integer(Int64(number))
        }
        var text = number.description
        text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a decimal without exponent and without trailing zeros.
    mutating func decimal(_ number: ModelNumber) {
        if let whole = number.whole { return integer(whole) }
        let unit = (0..<number.scale).reduce(UInt64(1)) { unit, _ in unit * 10 }
        let (whole, fraction) = number.digits.magnitude.quotientAndRemainder(dividingBy: unit)
        if number.digits < 0 { byte(0x2D) }
        integer(whole)
        byte(0x2E)
        for _ in fraction.decimalDigitCount..<max(Int(number.scale), fraction.decimalDigitCount) { byte(0x30) }
        integer(fraction)
    }

    mutating func boolean(_ flag: Bool) { flag ? literal("true") : literal("false") }
}

extension UnsafeRawBufferPointer {
    /// Returns the index of the first byte from `start` on that needs an escape; the count if there is none.
    fileprivate func firstEscape(from start: Int) -> Int {
        guard start < count, let bytes = baseAddress?.assumingMemoryBound(to: UInt8.self) else { return count }
        var isASCII = true
        return start + csj_plain_length(bytes + start, count - start, &isASCII)
    }
}

/// A cache of the text of the last time: all events and receipts of a turn have the same, and formatting it takes
/// longer than writing the rest of one.
package struct TimeText: Sendable {
    /// The cached time; initially out of range, so that the first one is formatted.
    private var milliseconds = Int64.min
    /// The 24 bytes of the text.
    private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

    /// Creates an empty cache.
    package init() {}

    /// Writes a time to a buffer with room for `Instant.textCount` bytes.
    @inline(__always)
    mutating func write(_ time: Instant, to place: UnsafeMutablePointer<UInt8>) {
        if time.milliseconds != milliseconds { make(time) }
        UnsafeMutableRawPointer(place).storeBytes(of: words, as: (UInt64, UInt64, UInt64).self)
    }

    private mutating func make(_ time: Instant) {
        withUnsafeMutableBytes(of: &words) { text in
            if let start = text.bindMemory(to: UInt8.self).baseAddress { time.write(to: start) }
        }
        milliseconds = time.milliseconds
    }
}
