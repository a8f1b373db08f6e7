import Glibc
import StoryCore

/// The entries of a memtable in key order, sorted lazily where walks need it.
///
/// The entries are in pieces, which are in key order; a piece itself is unsorted until a walk reaches it. At first
/// there is one piece. A walk splits a large piece in three around its start key, again and again, until the piece
/// there is small enough to sort. So the first walk after many writes costs about one look at each new key, and writing
/// costs nothing.
final class LazySortedKeys {
    /// The most entries of a piece that is sorted; a larger one is split first.
    private static let pieceSize = 256
    /// The most new entries that are inserted one by one; with more, starting over with one piece is cheaper.
    private static let mostFresh = 2_048
    /// The number of a piece's keys that are sampled to decide where to split it.
    private static let sampleSize = 32

    /// A part of the entries: those whose keys are between two others.
    private struct Piece {
        /// The entry whose key is the lower bound of the piece; nil for the first piece.
        var first: UInt32?
        var entries: [UInt32]
        var isSorted = false
    }

    private var pieces: [Piece] = []
    /// The number of the memtable's entries that are in pieces.
    private var count = 0

    /// The memory in use, in bytes.
    var bytes: Int { count * MemoryLayout<UInt32>.stride + pieces.count * MemoryLayout<Piece>.stride }

    func clear() {
        pieces = []
        count = 0
    }

    // MARK: Walking

    /// Returns the sorted run that has a key, or would have it.
    func run(at key: UnsafeRawBufferPointer, _ buffer: Memtable) -> KeyRun {
        run(near: key, buffer) { piece(at: key, buffer) }
    }

    /// Returns the sorted run with the last key before `key`; nil: the last run.
    func run(before key: UnsafeRawBufferPointer?, _ buffer: Memtable) -> KeyRun {
        run(near: key, buffer) { key.map { piece(before: $0, buffer) } ?? pieces.count - 1 }
    }

    /// Splits and sorts the piece that `find` returns, until it is a sorted run.
    private func run(near key: UnsafeRawBufferPointer?, _ buffer: Memtable, _ find: () -> Int) -> KeyRun {
        refresh(buffer)
        var number = find()
        while !pieces[number].isSorted {
            if pieces[number].entries.count > LazySortedKeys.pieceSize {
                split(number, near: key, buffer)
                number = find()
            } else {
                sort(number, buffer)
            }
        }
        let next = number + 1 < pieces.count ? pieces[number + 1].first : nil
        return KeyRun(entries: pieces[number].entries, first: pieces[number].first, next: next)
    }

    /// Returns the last piece that begins at or before a key.
    private func piece(at key: UnsafeRawBufferPointer, _ buffer: Memtable) -> Int {
        lastPiece { buffer.key($0).compare(key) <= 0 }
    }

    /// Returns the last piece that begins before a key.
    private func piece(before key: UnsafeRawBufferPointer, _ buffer: Memtable) -> Int {
        lastPiece { buffer.key($0).compare(key) < 0 }
    }

    @inline(__always)
    private func lastPiece(where begins: (Int) -> Bool) -> Int {
        (1..<pieces.count).partitionPoint { pieces[$0].first.map { begins(Int($0)) } ?? true } - 1
    }

    // MARK: New entries

    /// Adds the entries that were added to the memtable since the last call.
    private func refresh(_ buffer: Memtable) {
        guard count < buffer.count else { return }
        if pieces.isEmpty || buffer.count - count > LazySortedKeys.mostFresh {
            pieces = [Piece(first: nil, entries: Array(0..<UInt32(buffer.count)))]
        } else {
            for entry in count..<buffer.count { insert(UInt32(entry), buffer) }
        }
        count = buffer.count
    }

    private func insert(_ entry: UInt32, _ buffer: Memtable) {
        let key = buffer.key(Int(entry))
        let number = piece(at: key, buffer)
        guard pieces[number].isSorted else { return pieces[number].entries.append(entry) }
        let index = KeyRun.lowerBound(key, pieces[number].entries, buffer)
        pieces[number].entries.insert(entry, at: index)
        if pieces[number].entries.count > 2 * LazySortedKeys.pieceSize { halve(number) }
    }

    /// Splits a sorted piece in two.
    private func halve(_ number: Int) {
        let entries = pieces[number].entries
        let half = entries.count / 2
        let upper = Piece(first: entries[half], entries: Array(entries[half...]), isSorted: true)
        pieces[number].entries.removeLast(entries.count - half)
        pieces.insert(upper, at: number + 1)
    }

    // MARK: Pieces

    private func sort(_ number: Int, _ buffer: Memtable) {
        let sorted = SortedKey.sorted(pieces[number].entries.lazy.map(Int.init), of: buffer)
        pieces[number].entries = sorted.map(\.index)
        pieces[number].isSorted = true
    }

    /// Splits a piece in two or three: about a quarter of it around a key, the entries before, and those after.
    private func split(_ number: Int, near key: UnsafeRawBufferPointer?, _ buffer: Memtable) {
        let piece = pieces[number]
        let sample = sample(of: piece, buffer)
        let index = key.map { key in
            sample.prefix { buffer.key(Int($0.index)).compare(key) < 0 }.count
        }
        let width = sample.count / 8
        let lower = (index ?? sample.count) - width
        let upper = (index ?? sample.count) + width
        let begin = lower > 0 ? sample[lower] : nil
        let end = upper < sample.count ? sample[upper] : nil
        pieces.replaceSubrange(number...number, with: LazySortedKeys.parts(of: piece, begin, end, buffer))
    }

    /// Returns a sorted sample of a piece's keys.
    private func sample(of piece: Piece, _ buffer: Memtable) -> [SortedKey] {
        let step = piece.entries.count / LazySortedKeys.sampleSize
        let entries = (0..<LazySortedKeys.sampleSize).lazy.map { Int(piece.entries[$0 * step + step / 2]) }
        return SortedKey.sorted(entries, of: buffer)
    }

    private static func parts(
        of piece: Piece, _ begin: SortedKey?, _ end: SortedKey?, _ buffer: Memtable
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

/// A sorted run of a memtable's entries with adjacent keys.
struct KeyRun {
    let entries: [UInt32]
    /// The entry whose key is the lower bound of the run, though it need not be in the run; nil for the first run.
    let first: UInt32?
    /// The entry whose key begins the next run; nil for the last run.
    let next: UInt32?

    /// Returns the number of sorted entries whose keys come before this one.
    static func lowerBound(_ key: UnsafeRawBufferPointer, _ entries: [UInt32], _ buffer: Memtable) -> Int {
        entries.indices.partitionPoint { buffer.key(Int(entries[$0])).compare(key) < 0 }
    }
}

/// An entry to sort, with the first bytes of its key, which decide most comparisons without a look at the key.
struct SortedKey {
    let prefix: UInt64
    let index: UInt32

    init(_ index: Int, of buffer: Memtable) {
        prefix = SortedKey.prefix(of: buffer.key(index))
        self.index = UInt32(index)
    }

    /// Returns whether its key comes first.
    @inline(__always)
    func precedes(_ other: SortedKey, _ buffer: Memtable) -> Bool {
        if prefix != other.prefix { return prefix < other.prefix }
        return buffer.key(Int(index)).compare(buffer.key(Int(other.index))) < 0
    }

    /// Returns these entries in key order.
    static func sorted(_ entries: some Collection<Int>, of buffer: Memtable) -> [SortedKey] {
        var items: [SortedKey] = []
        collect(entries, of: buffer, into: &items)
        return items
    }

    /// Replaces `items` with these entries in key order; the memtable does not change.
    static func collect(_ entries: some Collection<Int>, of buffer: Memtable, into items: inout [SortedKey]) {
        items.removeAll(keepingCapacity: true)
        items.reserveCapacity(entries.count)
        for index in entries { items.append(SortedKey(index, of: buffer)) }
        items.sort { $0.precedes($1, buffer) }
    }

    /// Returns the first eight bytes as a number, padded with zeros where the key is shorter.
    private static func prefix(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        var number: UInt64 = 0
        for byte in key { number = number << 8 | UInt64(byte) }
        return key.isEmpty ? 0 : number << UInt64(8 * (8 - key.count))
    }
}
