import StoryCore
import StoryStorage

/// A walk through a range of one buffer, either way.
struct BufferWalk {
    private let buffer: WriteBuffer
    private let step: Int
    private var place: Int
    private var remaining: Int

    /// Nil when the buffer has nothing in the range.
    init?(_ buffer: WriteBuffer?, _ range: borrowing KeyBounds, _ order: Order) {
        guard let buffer else { return nil }
        buffer.order.refresh(buffer)
        let first = buffer.order.lowerBound(range.lower, buffer)
        let end = range.upper.map { buffer.order.lowerBound($0, buffer) } ?? buffer.order.count
        guard first < end else { return nil }
        self.buffer = buffer
        remaining = end - first
        step = order == .ascending ? 1 : -1
        place = order == .ascending ? first : end - 1
    }

    /// The key it stands on; nil at the end.
    @inline(__always)
    var key: UnsafeRawBufferPointer? { remaining > 0 ? buffer.key(index) : nil }

    /// The value it stands on; nil when the key was removed.
    @inline(__always)
    var value: UnsafeRawBufferPointer? { buffer.value(index) }

    @inline(__always)
    mutating func advance() {
        remaining -= 1
        place += step
    }

    private var index: Int { Int(buffer.order.sorted[place]) }
}
