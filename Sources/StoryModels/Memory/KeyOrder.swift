import Glibc

/// The entries of a buffer in the order of their keys, as far as walks have asked for it.
///
/// They lie in pieces, one behind the other in the order of the keys; within a piece they have no order until a walk
/// comes to it. What was never walked is one piece. Where a walk begins, a large piece is split in three around that
/// key, and so on, until what is there is small enough to be sorted. So the first walk after many writes costs about
/// one look at each new key, and writing costs nothing.
final class KeyOrder {
    /// A piece of no more entries is sorted; a larger one is split first.
    private static let pieceSize = 256
    /// With more new entries it is cheaper to begin anew than to put each in its piece.
    private static let mostFresh = 2_048
    /// So many keys of a piece tell where to split it.
    private static let sampleSize = 32

    /// Entries whose keys lie between two others.
    private struct Piece {
        /// The entry whose key no other of the piece comes before; nil for the first piece.
        var first: UInt32?
        var entries: [UInt32]
        var isSorted = false
    }

    private var pieces: [Piece] = []
    /// How many of the buffer's entries lie in pieces.
    private var count = 0

    /// The memory that it takes, in bytes.
    var bytes: Int { count * MemoryLayout<UInt32>.stride + pieces.count * MemoryLayout<Piece>.stride }

    func clear() {
        pieces = []
        count = 0
    }

    // MARK: Walking

    /// The sorted run of keys in which a key lies, or would lie.
    func run(at key: UnsafeRawBufferPointer, _ buffer: WriteBuffer) -> KeyRun {
        run(near: key, buffer) { piece(at: key, buffer) }
    }

    /// The sorted run that ends before a key; nil: the last one.
    func run(before key: UnsafeRawBufferPointer?, _ buffer: WriteBuffer) -> KeyRun {
        run(near: key, buffer) { key.map { piece(before: $0, buffer) } ?? pieces.count - 1 }
    }

    /// Splits and sorts what `find` finds, until that is a run.
    private func run(near key: UnsafeRawBufferPointer?, _ buffer: WriteBuffer, _ find: () -> Int) -> KeyRun {
        refresh(buffer)
        var number = find()
        while !pieces[number].isSorted {
            if pieces[number].entries.count > KeyOrder.pieceSize {
                split(number, near: key, buffer)
                number = find()
            } else {
                sort(number, buffer)
            }
        }
        let next = number + 1 < pieces.count ? pieces[number + 1].first : nil
        return KeyRun(entries: pieces[number].entries, first: pieces[number].first, next: next)
    }

    /// The last piece whose keys begin at or before a key.
    private func piece(at key: UnsafeRawBufferPointer, _ buffer: WriteBuffer) -> Int {
        lastPiece { Memory.compare(buffer.key($0), key) <= 0 }
    }

    /// The last piece whose keys begin before a key.
    private func piece(before key: UnsafeRawBufferPointer, _ buffer: WriteBuffer) -> Int {
        lastPiece { Memory.compare(buffer.key($0), key) < 0 }
    }

    @inline(__always)
    private func lastPiece(where begins: (Int) -> Bool) -> Int {
        var (lower, upper) = (0, pieces.count)
        while upper - lower > 1 {
            let middle = (lower + upper) / 2
            if pieces[middle].first.map({ begins(Int($0)) }) ?? true { lower = middle } else { upper = middle }
        }
        return lower
    }

    // MARK: New entries

    /// Takes in what was added to the buffer since the last time.
    private func refresh(_ buffer: WriteBuffer) {
        guard count < buffer.count else { return }
        if pieces.isEmpty || buffer.count - count > KeyOrder.mostFresh {
            pieces = [Piece(first: nil, entries: Array(0..<UInt32(buffer.count)))]
        } else {
            for entry in count..<buffer.count { insert(UInt32(entry), buffer) }
        }
        count = buffer.count
    }

    private func insert(_ entry: UInt32, _ buffer: WriteBuffer) {
        let key = buffer.key(Int(entry))
        let number = piece(at: key, buffer)
        guard pieces[number].isSorted else { return pieces[number].entries.append(entry) }
        let index = KeyRun.lowerBound(key, pieces[number].entries, buffer)
        pieces[number].entries.insert(entry, at: index)
        if pieces[number].entries.count > 2 * KeyOrder.pieceSize { halve(number) }
    }

    /// Makes two of a sorted piece.
    private func halve(_ number: Int) {
        let entries = pieces[number].entries
        let half = entries.count / 2
        let upper = Piece(first: entries[half], entries: Array(entries[half...]), isSorted: true)
        pieces[number].entries.removeLast(entries.count - half)
        pieces.insert(upper, at: number + 1)
    }

    // MARK: Pieces

    private func sort(_ number: Int, _ buffer: WriteBuffer) {
        let sorted = SortedKey.sorted(pieces[number].entries.lazy.map(Int.init), of: buffer)
        pieces[number].entries = sorted.map(\.index)
        pieces[number].isSorted = true
    }

    /// Makes two or three of a piece: about a quarter of it around a key, what comes before, and what comes behind.
    private func split(_ number: Int, near key: UnsafeRawBufferPointer?, _ buffer: WriteBuffer) {
        let piece = pieces[number]
        let sample = sample(of: piece, buffer)
        let index = key.map { key in
            sample.prefix { Memory.compare(buffer.key(Int($0.index)), key) < 0 }.count
        }
        let width = sample.count / 8
        let lower = (index ?? sample.count) - width
        let upper = (index ?? sample.count) + width
        let begin = lower > 0 ? sample[lower] : nil
        let end = upper < sample.count ? sample[upper] : nil
        pieces.replaceSubrange(number...number, with: KeyOrder.parts(of: piece, begin, end, buffer))
    }

    /// Some of a piece's keys, sorted.
    private func sample(of piece: Piece, _ buffer: WriteBuffer) -> [SortedKey] {
        let step = piece.entries.count / KeyOrder.sampleSize
        let entries = (0..<KeyOrder.sampleSize).lazy.map { Int(piece.entries[$0 * step + step / 2]) }
        return SortedKey.sorted(entries, of: buffer)
    }

    private static func parts(
        of piece: Piece, _ begin: SortedKey?, _ end: SortedKey?, _ buffer: WriteBuffer
    ) -> [Piece] {
        var (before, inside, behind): ([UInt32], [UInt32], [UInt32]) = ([], [], [])
        for entry in piece.entries {
            let key = SortedKey(Int(entry), of: buffer)
            if let begin, key.precedes(begin, buffer) {
                before.append(entry)
            } else if let end, !key.precedes(end, buffer) {
                behind.append(entry)
            } else {
                inside.append(entry)
            }
        }
        var parts: [Piece] = []
        if begin != nil { parts.append(Piece(first: piece.first, entries: before)) }
        parts.append(Piece(first: begin?.index ?? piece.first, entries: inside))
        if let end { parts.append(Piece(first: end.index, entries: behind)) }
        return parts
    }
}

/// Entries of a buffer whose keys lie side by side, sorted.
struct KeyRun {
    let entries: [UInt32]
    /// The entry whose key no other of the run comes before, though it need not be in it; nil: nothing comes before it.
    let first: UInt32?
    /// The entry that the next run begins with; nil: nothing follows.
    let next: UInt32?

    /// How many of its keys come before this one.
    func lowerBound(_ key: UnsafeRawBufferPointer, _ buffer: WriteBuffer) -> Int {
        KeyRun.lowerBound(key, entries, buffer)
    }

    static func lowerBound(_ key: UnsafeRawBufferPointer, _ entries: [UInt32], _ buffer: WriteBuffer) -> Int {
        var (lower, upper) = (0, entries.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if Memory.compare(buffer.key(Int(entries[middle])), key) < 0 { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

/// An entry to be sorted: the first bytes of its key decide most comparisons without looking at the key.
struct SortedKey {
    let prefix: UInt64
    let index: UInt32

    init(_ index: Int, of buffer: WriteBuffer) {
        prefix = SortedKey.prefix(of: buffer.key(index))
        self.index = UInt32(index)
    }

    /// True when its key comes first.
    @inline(__always)
    func precedes(_ other: SortedKey, _ buffer: WriteBuffer) -> Bool {
        if prefix != other.prefix { return prefix < other.prefix }
        return Memory.compare(buffer.key(Int(index)), buffer.key(Int(other.index))) < 0
    }

    /// These entries in the order of their keys.
    static func sorted(_ entries: some Collection<Int>, of buffer: WriteBuffer) -> [SortedKey] {
        var items: [SortedKey] = []
        collect(entries, of: buffer, into: &items)
        return items
    }

    /// Replaces `items` by these entries in the order of their keys; changes nothing of the buffer.
    static func collect(_ entries: some Collection<Int>, of buffer: WriteBuffer, into items: inout [SortedKey]) {
        items.removeAll(keepingCapacity: true)
        items.reserveCapacity(entries.count)
        for index in entries { items.append(SortedKey(index, of: buffer)) }
        items.sort { $0.precedes($1, buffer) }
    }

    /// The first eight bytes as a number, zeros where the key ends before.
    private static func prefix(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        var number: UInt64 = 0
        for byte in key { number = number << 8 | UInt64(byte) }
        return key.isEmpty ? 0 : number << UInt64(8 * (8 - key.count))
    }
}
