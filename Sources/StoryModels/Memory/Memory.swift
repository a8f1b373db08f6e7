import CXXHash
import Glibc

/// Raw memory and raw bytes.
enum Memory {
    static func make(_ count: Int) -> UnsafeMutableRawPointer {
        guard let memory = malloc(count) else { preconditionFailure("There is memory for \(count) bytes.") }
        return memory
    }

    /// Large blocks are moved by the system without copying them.
    static func grow(_ memory: UnsafeMutableRawPointer, _ count: Int) -> UnsafeMutableRawPointer {
        guard let grown = realloc(memory, count) else { preconditionFailure("There is memory for \(count) bytes.") }
        return grown
    }

    @inline(__always)
    static func copy(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        // A value may be put over itself.
        if let source = bytes.baseAddress { memmove(target, source, bytes.count) }
    }

    /// True where one of the bytes is this one.
    static func contains(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
    }

    @inline(__always)
    static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        return xxhi_equal(left.baseAddress, right.baseAddress, left.count)
    }

    /// LMDB's order of keys: byte by byte, a beginning before what goes on. Negative: left comes first.
    @inline(__always)
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let common = min(left.count, right.count)
        if common > 0, let first = left.baseAddress, let second = right.baseAddress {
            let difference = memcmp(first, second, common)
            if difference != 0 { return Int(difference) }
        }
        return left.count - right.count
    }
}
