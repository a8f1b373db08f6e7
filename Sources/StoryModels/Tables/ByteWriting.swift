import StoryCore

/// Memory that keys and values are written in, one after another.
package protocol ByteWriting {
    /// Begins anew in the same memory.
    mutating func clear()
    mutating func add(_ byte: UInt8)
    mutating func add(_ bytes: UnsafeRawBufferPointer)
    /// Adds the lower six bytes of a number, the highest first.
    mutating func add48(_ value: UInt64)
    /// Adds the bytes of a number as they lie in memory.
    mutating func add<Number: FixedWidthInteger & BitwiseCopyable>(native number: Number)
    /// Lends what was written.
    func withWritten<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension [UInt8]: ByteWriting {
    package mutating func clear() { removeAll(keepingCapacity: true) }
    package mutating func add(_ byte: UInt8) { append(byte) }
    package mutating func add(_ bytes: UnsafeRawBufferPointer) { append(contentsOf: bytes) }

    package mutating func add48(_ value: UInt64) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[2...])) }
    }

    package mutating func add<Number: FixedWidthInteger & BitwiseCopyable>(native number: Number) {
        Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
    }

    package func withWritten<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { withUnsafeBytes(body) }
}

/// Memory of nobody else's: what is written there costs no look at who else holds it.
///
/// Only the copy that was written to last is of use, and whoever made it has to `free` that one.
struct ScratchBytes: ByteWriting {
    /// Behind what is written there is always room for a number.
    private static let slack = 16

    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 1_024
        start = .allocate(byteCount: capacity + ScratchBytes.slack, alignment: 16)
    }

    func free() { start.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    mutating func clear() { count = 0 }

    @inline(__always)
    mutating func add(_ byte: UInt8) {
        (start + count).storeBytes(of: byte, as: UInt8.self)
        advance(1)
    }

    @inline(__always)
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        if count + bytes.count > capacity { grow(count + bytes.count) }
        if let address = bytes.baseAddress { ScratchBytes.copy(address, bytes.count, to: start + count) }
        count += bytes.count
    }

    @inline(__always)
    mutating func add48(_ value: UInt64) {
        (start + count).storeBytes(of: (value << 16).bigEndian, as: UInt64.self)
        advance(6)
    }

    @inline(__always)
    mutating func add<Number: FixedWidthInteger & BitwiseCopyable>(native number: Number) {
        (start + count).storeBytes(of: number, as: Number.self)
        advance(MemoryLayout<Number>.size)
    }

    func withWritten<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { body(bytes) }

    /// Names are short: two words that overlap are copied without a call.
    @inline(__always)
    private static func copy(_ bytes: UnsafeRawPointer, _ count: Int, to place: UnsafeMutableRawPointer) {
        if count > 16 { return place.copyMemory(from: bytes, byteCount: count) }
        if count >= 8 {
            place.storeBytes(of: bytes.loadUnaligned(as: UInt64.self), as: UInt64.self)
            let last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            place.storeBytes(of: last, toByteOffset: count - 8, as: UInt64.self)
        } else if count >= 4 {
            place.storeBytes(of: bytes.loadUnaligned(as: UInt32.self), as: UInt32.self)
            let last = bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            place.storeBytes(of: last, toByteOffset: count - 4, as: UInt32.self)
        } else {
            for index in 0..<count {
                place.storeBytes(
                    of: bytes.load(fromByteOffset: index, as: UInt8.self), toByteOffset: index, as: UInt8.self)
            }
        }
    }

    @inline(__always)
    private mutating func advance(_ written: Int) {
        count += written
        if count > capacity { grow(count) }
    }

    private mutating func grow(_ needed: Int) {
        capacity = max(needed, capacity * 2)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity + ScratchBytes.slack, alignment: 16)
        grown.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = grown
    }
}
