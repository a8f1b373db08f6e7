import StoryCore

/// A text that becomes a JSON string, and whether its bytes can go out as they are.
struct JSONText {
    let bytes: UnsafeRawBufferPointer
    let isPlain: Bool

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        isPlain = bytes.firstEscape(from: 0) == bytes.count
    }

    /// No more bytes than this are written for it, quotes and all: an escape has up to six.
    var greatestCount: Int { 2 + (isPlain ? bytes.count : 6 * bytes.count) }
}

extension ByteWriter {
    @inline(__always)
    mutating func text(_ text: JSONText) {
        if text.isPlain { name(text.bytes) } else { other { $0.appendString(text.bytes) } }
    }

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
