import StoryCore

/// Writes into room that was made large enough beforehand: what is written for every event and every receipt, so that
/// not each piece of it asks for room.
struct ByteWriter {
    private var end: UnsafeMutablePointer<UInt8>
    private var left: Int

    fileprivate init(_ end: UnsafeMutablePointer<UInt8>, room: Int) {
        self.end = end
        left = room
    }

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
        precondition(count <= left, "What is written fits the room that was made for it.")
        end += count
        left -= count
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

    /// What is seldom enough to be written elsewhere first.
    mutating func other(_ write: (inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        write(&bytes)
        raw(bytes)
    }
}
