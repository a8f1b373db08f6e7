import Glibc

/// Requests that wait to be sent, put together in memory that stays.
///
/// Generator and server share the processors: what a request costs to make is taken from whoever serves it. An array
/// would ask at each piece whether it is its bytes' only owner.
struct RequestText: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 4_096
        start = .allocate(capacity: capacity)
    }

    deinit { start.deallocate() }

    var isEmpty: Bool { count == 0 }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    mutating func removeAll() { count = 0 }

    mutating func removeFirst(_ sent: Int) {
        count -= sent
        memmove(start, start + sent, count)
    }

    mutating func put(_ byte: UInt8) {
        reserve(1)
        start[count] = byte
        count += 1
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        memcpy(start + count, source, bytes.count)
        count += bytes.count
    }

    @inline(__always)
    mutating func put(_ text: StaticString) {
        put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func put(_ bytes: [UInt8]) { bytes.withUnsafeBytes { put($0) } }

    mutating func put(text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// The same byte so many times.
    mutating func put(_ byte: UInt8, times: Int) {
        reserve(times)
        memset(start + count, Int32(byte), times)
        count += times
    }

    /// A number that is not negative, in decimal digits.
    mutating func put(_ number: Int) {
        var digits = 1
        var bound = 10
        while digits < 19, number >= bound {
            digits += 1
            bound = digits < 19 ? bound * 10 : Int.max
        }
        reserve(digits)
        var left = number
        for place in (count..<count + digits).reversed() {
            start[place] = 0x30 + UInt8(truncatingIfNeeded: left % 10)
            left /= 10
        }
        count += digits
    }

    /// The last digits of a number, in hexadecimal; at most eight.
    mutating func putHex(_ bits: UInt64, digits: Int) {
        reserve(8)
        // Each of the eight digits has a byte of its own, the first digit the lowest, after two steps that move halves
        // apart; those above nine lie 39 characters further on.
        var spread = bits << UInt64(4 * (8 - digits)) & 0xFFFF_FFFF
        spread = (spread & 0xFFFF) << 32 | spread >> 16
        spread = (spread & 0x0000_00FF_0000_00FF) << 16 | (spread & 0x0000_FF00_0000_FF00) >> 8
        spread = (spread & 0x000F_000F_000F_000F) << 8 | (spread & 0x00F0_00F0_00F0_00F0) >> 4
        let letters = (spread + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let text = spread + 0x3030_3030_3030_3030 + letters * 0x27
        UnsafeMutableRawPointer(start + count).storeBytes(of: text.littleEndian, as: UInt64.self)
        count += digits
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) { if count + more > capacity { grow(count + more) } }

    private mutating func grow(_ least: Int) {
        let larger = max(2 * capacity, least)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        memcpy(moved, start, count)
        start.deallocate()
        (start, capacity) = (moved, larger)
    }
}
