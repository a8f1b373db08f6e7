import StoryCore
import TestSupport

/// An input, taken apart from its front; what is not there is zero.
struct FuzzInput {
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    /// The next byte.
    mutating func byte() -> UInt8 {
        guard let first = rest.first else { return 0 }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return first
    }

    /// The next two bytes as a number.
    mutating func short() -> Int { Int(byte()) << 8 | Int(byte()) }

    /// So many bytes, or as many as there are.
    mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
        let part = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        return part
    }

    /// One of the elements.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int(byte()) % elements.count] }

    /// A generator whose seed is the next two bytes.
    mutating func random() -> SplitMix64 { SplitMix64(seed: UInt64(short())) }
}

/// A copy of bytes in memory of just their size, so that a look behind them is an error that is seen.
final class ExactCopy {
    let bytes: UnsafeMutableRawBufferPointer

    /// - Parameter slack: how many bytes of noise stand behind them that may be read.
    init(_ source: some Collection<UInt8>, slack: Int = 0, noise: UInt8 = 0x22) {
        bytes = .allocate(byteCount: source.count + slack, alignment: 1)
        bytes.copyBytes(from: source)
        for index in source.count..<source.count + slack {
            bytes[index] = [noise, 0x5D, 0x7D, 0x30, 0x2C, 0x20][index % 6]
        }
        count = source.count
    }

    private let count: Int

    deinit { bytes.deallocate() }

    /// The bytes without the noise.
    var whole: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<count]) }
}
