import Glibc

/// The entries of a buffer in the order of their keys.
///
/// It is kept lazily: a scan sorts what was added since the last one and merges it in.
final class KeyOrder {
    private(set) var sorted: UnsafeMutablePointer<UInt32>
    private(set) var count = 0
    private var capacity = 16
    private var fresh: [SortedKey] = []

    init() { sorted = .allocate(capacity: capacity) }

    deinit { sorted.deallocate() }

    var bytes: Int {
        (count > 0 ? capacity * MemoryLayout<UInt32>.stride : 0) + fresh.capacity * MemoryLayout<SortedKey>.stride
    }

    func clear() { count = 0 }

    /// Takes in what was added to the buffer since the last time.
    func refresh(_ buffer: WriteBuffer) {
        guard count < buffer.count else { return }
        SortedKey.collect(count..<buffer.count, of: buffer, into: &fresh)
        reserve(buffer.count)
        merge(buffer)
        if fresh.capacity > 4_096 { fresh = [] }
    }

    /// How many of the sorted keys come before this one.
    func lowerBound(_ key: UnsafeRawBufferPointer, _ buffer: WriteBuffer) -> Int {
        lowerBound(key, buffer, within: count)
    }

    /// From the greatest new key down, so that each block of older ones is moved once, to its place.
    private func merge(_ buffer: WriteBuffer) {
        var end = count
        var target = buffer.count
        for item in fresh.reversed() {
            let place = lowerBound(buffer.key(Int(item.index)), buffer, within: end)
            target -= end - place
            memmove(sorted + target, sorted + place, (end - place) * MemoryLayout<UInt32>.stride)
            target -= 1
            sorted[target] = item.index
            end = place
        }
        count = buffer.count
    }

    private func lowerBound(_ key: UnsafeRawBufferPointer, _ buffer: WriteBuffer, within end: Int) -> Int {
        var (lower, upper) = (0, end)
        while lower < upper {
            let middle = (lower + upper) / 2
            if Memory.compare(buffer.key(Int(sorted[middle])), key) < 0 { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }

    private func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        while capacity < needed { capacity *= 2 }
        let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
        grown.update(from: sorted, count: count)
        sorted.deallocate()
        sorted = grown
    }
}

/// An entry to be sorted: the first bytes of its key decide most comparisons without looking at the key.
struct SortedKey {
    let prefix: UInt64
    let index: UInt32

    /// Replaces `items` by these entries in the order of their keys; changes nothing of the buffer.
    static func collect(_ range: Range<Int>, of buffer: WriteBuffer, into items: inout [SortedKey]) {
        items.removeAll(keepingCapacity: true)
        items.reserveCapacity(range.count)
        for index in range { items.append(SortedKey(prefix: prefix(of: buffer.key(index)), index: UInt32(index))) }
        items.sort { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            return Memory.compare(buffer.key(Int(left.index)), buffer.key(Int(right.index))) < 0
        }
    }

    /// The first eight bytes as a number, zeros where the key ends before.
    private static func prefix(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        var number: UInt64 = 0
        for byte in key { number = number << 8 | UInt64(byte) }
        return key.isEmpty ? 0 : number << UInt64(8 * (8 - key.count))
    }
}
