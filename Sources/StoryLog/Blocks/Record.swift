import CXXHash
package import StoryCore
import StoryStorage

/// One event as the log keeps it: header, salts, JSON and zeros.
package enum Record {
    /// Reads a record and verifies its checksum; the result is valid as long as `bytes`.
    ///
    /// - Throws: `.corrupt` with the position if the record is damaged.
    @inline(__always)
    package static func read(
        _ bytes: UnsafeRawBufferPointer, at position: UInt64
    ) throws(StorageError) -> EventRecord {
        guard bytes.count >= EventHeader.size else { throw damaged(position, "is cut short") }
        guard RecordLayout.count(bytes) == bytes.count else { throw damaged(position, "does not have its length") }
        guard checksum(bytes, position) == storedChecksum(bytes) else {
            throw damaged(position, "does not match its checksum")
        }
        guard bytes[9] == EventHeader.layout else { throw damaged(position, "has layout \(bytes[9])") }
        let header = EventHeader(bytes, at: Position(position))
        guard let layout = RecordLayout(header), layout.count == bytes.count else {
            throw damaged(position, "has lengths that do not fit its text")
        }
        guard bytes[EventHeader.stateStart] == ErasedState.whole else { return try erased(bytes, header, layout) }
        let json = UnsafeRawBufferPointer(rebasing: bytes[layout.jsonStart..<layout.jsonStart + layout.text.count])
        return EventRecord(header, layout.text, json)
    }

    /// Returns the record that begins at an offset of consecutive records.
    ///
    /// - Throws: `.corrupt` with the position if its length does not fit.
    static func record(
        in bytes: UnsafeRawBufferPointer, from start: Int, at position: UInt64
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        guard bytes.count - start >= EventHeader.size else { throw damaged(position, "is cut short") }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        let count = RecordLayout.count(rest)
        guard count <= rest.count else { throw damaged(position, "is cut short") }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    /// Returns the end of the last wanted record, as an offset of consecutive records.
    ///
    /// - Parameters:
    ///   - bytes: the records.
    ///   - position: the position before that of the first one.
    ///   - last: the last position that is wanted.
    /// - Throws: `.corrupt` with the position of a record whose length does not fit.
    package static func end(
        in bytes: UnsafeRawBufferPointer, after position: Position, through last: Position
    ) throws(StorageError) -> Int {
        var (end, position) = (0, position)
        while end < bytes.count, position < last {
            position = position.next
            end += try record(in: bytes, from: end, at: position.value).count
        }
        return end
    }

    /// Returns consecutive records; they are valid as long as the bytes.
    ///
    /// - Parameter position: the position before that of the first one.
    /// - Throws: `.corrupt` with the position of a damaged record.
    package static func all(
        in bytes: UnsafeRawBufferPointer, after position: Position
    ) throws(StorageError) -> [EventRecord] {
        var (records, end, position) = ([EventRecord](), 0, position)
        while end < bytes.count {
            position = position.next
            let next = try record(in: bytes, from: end, at: position.value)
            records.append(try read(next, at: position.value))
            end += next.count
        }
        return records
    }

    /// Returns the checksum that a record begins with.
    package static func storedChecksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.number(at: 0, as: UInt64.self)
    }

    /// Returns the checksum of a record, which covers everything behind it.
    @inline(__always)
    static func checksum(_ bytes: UnsafeRawBufferPointer, _ position: UInt64) -> UInt64 {
        Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[EventHeader.stateStart...]), position: position)
    }

    /// Returns the kept parts of an event that was erased.
    private static func erased(
        _ bytes: UnsafeRawBufferPointer, _ header: EventHeader, _ layout: RecordLayout
    ) throws(StorageError) -> EventRecord {
        let position = header.position.value
        let byte = bytes[EventHeader.stateStart]
        guard let state = ErasedState(byte, hasLabels: layout.hasLabels) else {
            throw damaged(position, "has state \(byte)")
        }
        let text = layout.text.erased(state)
        let json = UnsafeRawBufferPointer(rebasing: bytes[layout.jsonStart..<layout.jsonStart + text.count])
        let by = layout.contentArea.pieces(
            RecordLayout.commitmentSize..<RecordLayout.commitmentSize + RecordLayout.erasureSize)
        let number = by.joined().reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[$1]) }
        return EventRecord(header, text, json, erased: Position(number))
    }

    /// Returns the error for a damaged event; `what` completes the sentence "the event at position …".
    static func damaged(_ position: UInt64, _ what: String) -> StorageError {
        .corrupt("the event at position \(position) \(what)", at: Position(position))
    }
}

/// The checksum of records, which detects a change of a record on the disk.
package enum Checksum {
    /// Returns the XXH3-64 of the bytes, seeded with the position, so that a record that strays to another position
    /// does not match either.
    @inline(__always)
    package static func of(_ bytes: UnsafeRawBufferPointer, position: UInt64) -> UInt64 {
        xxhi_64(bytes.baseAddress, bytes.count, position)
    }
}

/// A view of consecutive records, in a block of the memory map or in memory, with the table of their offsets.
///
/// A run of the map is valid until the reading ends, a run of an `OpenBlock` as long as that.
package struct RecordRun {
    /// The position of its first record.
    package let first: UInt64
    /// The number of records.
    package let count: Int
    let base: UnsafeRawPointer
    /// The table, 4 bytes a record: its offset from `base`.
    let offsets: UnsafeRawPointer
    /// The range of all records, as offsets from `base`.
    let bounds: Range<Int>

    /// The position of its last record.
    package var last: UInt64 { first + UInt64(count) - 1 }

    /// The bytes of all records, in order.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + bounds.lowerBound, count: bounds.count)
    }

    @inline(__always)
    func holds(_ position: UInt64) -> Bool { position >= first && position - first < UInt64(count) }

    /// Returns the bytes of a record that the run holds.
    ///
    /// - Throws: `.corrupt` if the table points outside the run.
    @inline(__always)
    package func record(at position: UInt64) throws(StorageError) -> UnsafeRawBufferPointer {
        let index = Int(position - first)
        let start = offset(index)
        let end = index + 1 < count ? offset(index + 1) : bounds.upperBound
        guard start >= bounds.lowerBound, start < end, end <= bounds.upperBound else {
            throw Record.damaged(position, "is not where its block says")
        }
        return UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    /// Prefetches the table entry of a position.
    @inline(__always)
    func prefetchEntry(of position: UInt64) { (offsets + 4 * Int(position - first)).prefetch(4) }

    /// Prefetches up to `count` bytes of the beginning of a record; its table entry should be in the cache.
    @inline(__always)
    func prefetchRecord(at position: UInt64, _ count: Int) {
        let start = offset(Int(position - first))
        if bounds.contains(start) { (base + start).prefetch(min(bounds.upperBound - start, count)) }
    }

    @inline(__always)
    private func offset(_ index: Int) -> Int {
        Int(UInt32(littleEndian: offsets.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
    }
}
