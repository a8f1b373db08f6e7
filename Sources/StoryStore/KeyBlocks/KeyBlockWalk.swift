import StoryFold
import StoryCore

/// A cursor over the keys of one block after the other, in either order.
final class KeyBlockWalk {
    private let range: KeyBounds
    private let order: Order
    private var block: KeyBlock?
    /// The segment whose keys are decoded.
    private var segment = 0
    private var keys = KeyList()
    private var index = 0

    init(_ range: KeyBounds, _ order: Order) {
        self.range = range
        self.order = order
    }

    /// The key at the cursor, valid until the next step; nil past the end of the block.
    var key: UnsafeRawBufferPointer? { keys.count > 0 && 0..<keys.count ~= index ? keys[index] : nil }

    /// Moves to the first key of a block that is in the range, in the walk's order.
    ///
    /// - Throws: `corrupt` where the bytes are no block.
    func enter(_ value: UnsafeRawBufferPointer) throws(StorageError) {
        let block = try KeyBlock(value)
        self.block = block
        switch order {
        case .ascending:
            try open(block.segment(at: range.lower), of: block)
            index = keys.lowerBound(range.lower) - 1
            try advance()
        case .descending:
            let last = try range.upper.map { (key) throws(StorageError) in try block.segment(before: key) }
            try open(last ?? block.segmentCount - 1, of: block)
            index = range.upper.map { keys.lowerBound($0) } ?? keys.count
            try advance()
        }
    }

    /// Moves to the next key of the block, in the walk's order.
    ///
    /// - Throws: `corrupt` where the next segment is damaged.
    func advance() throws(StorageError) {
        guard let block else { return }
        switch order {
        case .ascending:
            index += 1
            guard index == keys.count, segment + 1 < block.segmentCount else { return }
            try open(segment + 1, of: block)
            index = 0
        case .descending:
            index -= 1
            guard index < 0, segment > 0 else { return }
            try open(segment - 1, of: block)
            index = keys.count - 1
        }
    }

    private func open(_ segment: Int, of block: KeyBlock) throws(StorageError) {
        try block.decode(segment, into: &keys)
        self.segment = segment
    }
}
