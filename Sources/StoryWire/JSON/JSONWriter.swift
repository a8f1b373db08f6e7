import CSimdJSON
import StoryCore

/// Appending of JSON to byte arrays, for every encoder of this module.
extension [UInt8] {
    /// Appends a literal of the program as it is.
    @inline(__always)
    mutating func appendLiteral(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes that are JSON already.
    mutating func appendRaw(_ bytes: UnsafeRawBufferPointer) {
        append(contentsOf: UnsafeBufferPointer(start: bytes.bindMemory(to: UInt8.self).baseAddress, count: bytes.count))
    }

    /// Appends a number in decimal digits, without a `String`.
    mutating func appendInteger(_ number: UInt64) {
        if number < 10 {
            append(0x30 | UInt8(truncatingIfNeeded: number))
            return
        }
        let digits = number.decimalDigitCount
        let end = count + digits
        append(contentsOf: repeatElement(0x30, count: digits))
        withUnsafeMutableBufferPointer { bytes in
            var rest = number
            var index = end - 1
            while rest > 0 {
                bytes[index] = 0x30 | UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
                index -= 1
            }
        }
    }

    mutating func appendInteger(_ number: Int) { appendInteger(Int64(number)) }

    mutating func appendInteger(_ number: Int64) {
        if number < 0 { append(0x2D) }
        appendInteger(number.magnitude)
    }

    /// Appends the shortest spelling of a number that reads back the same; whole ones without a point.
    mutating func appendNumber(_ number: Double) {
        guard number.isFinite else { return appendLiteral("null") }
        // Up to 2^53 every whole number is exact.
        if number.magnitude < 9_007_199_254_740_992, number == number.rounded(.towardZero) {
            return appendInteger(Int64(number))
        }
        append(contentsOf: number.description.utf8)
    }

    mutating func appendBoolean(_ flag: Bool) { flag ? appendLiteral("true") : appendLiteral("false") }

    mutating func appendString(_ text: String) {
        var text = text
        text.withUTF8 { appendString(UnsafeRawBufferPointer($0)) }
    }

    mutating func appendString(_ text: [UInt8]) { text.withUnsafeBytes { appendString($0) } }

    /// Appends a JSON string of well-formed UTF-8.
    mutating func appendString(_ text: UnsafeRawBufferPointer) {
        appendWritten(atMost: text.count + 2 + 5 * text.escapeCount) { $0.string(text) }
    }

    /// Appends bytes of the ID alphabet as a JSON string; they never need an escape.
    mutating func appendName(_ name: [UInt8]) {
        append(0x22)
        append(contentsOf: name)
        append(0x22)
    }

    /// Appends a view of the ID alphabet as a JSON string.
    mutating func appendName(_ name: ByteView) {
        append(0x22)
        name.withUnsafeBytes { appendRaw($0) }
        append(0x22)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the index of the first byte from `start` on that needs an escape; the count if there is none.
    func firstEscape(from start: Int) -> Int {
        guard start < count, let bytes = baseAddress?.assumingMemoryBound(to: UInt8.self) else { return count }
        var isASCII = true
        return start + csj_plain_length(bytes + start, count - start, &isASCII)
    }

    /// The number of bytes that need an escape, which takes up to six bytes each.
    fileprivate var escapeCount: Int {
        var count = 0
        var index = firstEscape(from: 0)
        while index < self.count {
            count += 1
            index = firstEscape(from: index + 1)
        }
        return count
    }
}

extension UInt64 {
    var decimalDigitCount: Int {
        var digits = 1
        var bound: UInt64 = 10
        // The greatest number has 20 digits; ten times the last bound would overflow.
        while digits < 20, self >= bound {
            digits += 1
            guard digits < 20 else { break }
            bound *= 10
        }
        return digits
    }
}
