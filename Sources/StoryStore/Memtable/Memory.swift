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
}
