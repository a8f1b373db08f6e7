import StoryCore

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
