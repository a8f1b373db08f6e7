import CXXHash
import Glibc

/// Functions on raw memory and raw bytes.
enum Memory {
    static func make(_ count: Int) -> UnsafeMutableRawPointer {
        guard let memory = malloc(count) else { preconditionFailure("out of memory: \(count) bytes") }
        return memory
    }

    /// Grows a block of memory; the system moves large ones without a copy.
    static func grow(_ memory: UnsafeMutableRawPointer, _ count: Int) -> UnsafeMutableRawPointer {
        guard let grown = realloc(memory, count) else { preconditionFailure("out of memory: \(count) bytes") }
        return grown
    }

    @inline(__always)
    static func copy(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        // A value may be copied onto itself, so the bytes may overlap.
        if let source = bytes.baseAddress { memmove(target, source, bytes.count) }
    }

    /// Returns whether one of the bytes is this one.
    static func contains(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
    }

    @inline(__always)
    static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        return xxhi_equal(left.baseAddress, right.baseAddress, left.count)
    }

    /// Compares in LMDB's key order: byte by byte, a prefix before longer keys; negative when `left` comes first.
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
