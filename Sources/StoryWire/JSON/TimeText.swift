import StoryCore

/// The text of the time that was written last: all events and receipts of a turn have the same, and to make it takes
/// longer than all that is written around it.
package struct TimeText: Sendable {
    /// Within no range of times, so that the first one is made.
    private var milliseconds = Int64.min
    /// The text as it lies in memory.
    private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

    package init() {}

    /// Writes a time at a place that has room for `Instant.textCount` bytes.
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
