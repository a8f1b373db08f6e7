/// The header of an event: its metadata, and the lengths of the parts of its text.
///
/// In a record of the log it has 48 bytes, little-endian: `checksum 8 · state 1 · layout 1 · tags length 2 · by 4 ·
/// time 8 · version 6 · stream number 6 · meta length 4 · stream length 1 · type length 1 · key length 1 · cursor
/// length 1 · JSON length 3 · zeros behind the JSON 1`. A length of 0 says that the event has no such part.
@usableFromInline
package struct EventHeader: Equatable, Sendable {
    /// The size of a header in a record, in bytes.
    @inlinable package static var size: Int { 48 }
    /// The offset of the state, which names the erased parts; the checksum of a record covers it and all that follows.
    @inlinable package static var stateStart: Int { 8 }
    /// The offset where the sealed part of the header begins.
    @inlinable package static var sealedStart: Int { 9 }
    /// The layout that this program writes, and the only one that it reads.
    @inlinable package static var layout: UInt8 { 2 }
    /// The largest length of an event's JSON, in bytes.
    @inlinable package static var mostJSON: Int { 1 << 24 - 1 }

    /// The position in the log.
    @usableFromInline package let position: Position
    /// The number of the stream.
    @usableFromInline package var streamNumber: StreamNumber
    /// The version of the stream after the event.
    @usableFromInline package let version: Version
    /// The time of the commit.
    @usableFromInline package let time: Instant
    /// The uid of the process that wrote it.
    @usableFromInline package let by: UInt32
    /// The length of the stream's name, in bytes.
    @usableFromInline package let streamCount: Int
    /// The length of the type's name, in bytes.
    @usableFromInline package let typeCount: Int
    /// The length of the cursor, in bytes; 0 where there is none.
    @usableFromInline package var cursorCount = 0
    /// The length of the key, in bytes; 0 where there is none.
    @usableFromInline package var keyCount = 0
    /// The length of the tags' array, in bytes; 0 where there is none.
    @usableFromInline package var tagsCount = 0
    /// The length of the meta, in bytes; 0 where there is none.
    @usableFromInline package var metaCount = 0
    /// The length of the whole JSON, in bytes, up to `mostJSON`.
    @usableFromInline package var jsonCount = 0

    /// Creates a header without cursor, key, tags and meta from an event's metadata.
    package init(_ metadata: EventMetadata, streamCount: Int, typeCount: Int) {
        position = metadata.position
        streamNumber = metadata.streamNumber
        version = metadata.version
        time = metadata.time
        by = metadata.by
        self.streamCount = streamCount
        self.typeCount = typeCount
    }
}

/// The header in a record.
extension EventHeader {
    /// Reads the header of a record; the buffer has at least `size` bytes.
    ///
    /// Inlinable, as `write`, since every event that is read or written passes here.
    @inlinable
    @inline(__always)
    package init(_ record: UnsafeRawBufferPointer, at position: Position) {
        self.position = position
        tagsCount = Int(record.number(at: 10, as: UInt16.self))
        by = record.number(at: 12, as: UInt32.self)
        time = Instant(milliseconds: record.number(at: 16, as: Int64.self))
        version = Version(record.number48(at: 24))
        streamNumber = StreamNumber(record.number48(at: 30))
        metaCount = Int(record.number(at: 36, as: UInt32.self))
        streamCount = Int(record[40])
        typeCount = Int(record[41])
        keyCount = Int(record[42])
        cursorCount = Int(record[43])
        jsonCount = EventHeader.jsonCount(record)
    }

    /// True if the event has a key or tags, which have a salt of their own.
    @inlinable
    package var hasLabels: Bool { keyCount > 0 || tagsCount > 0 }

    /// Writes all but the checksum, which is written once the record is complete.
    ///
    /// - Parameter zeros: the number of zeros behind the JSON.
    @inlinable
    @inline(__always)
    package func write(zeros: Int, to target: UnsafeMutableRawPointer) {
        target.put(UInt8(0), at: 8)
        target.put(EventHeader.layout, at: 9)
        target.put(UInt16(tagsCount), at: 10)
        target.put(by, at: 12)
        target.put(time.milliseconds, at: 16)
        target.put48(version.value, at: 24)
        target.put48(streamNumber.value, at: 30)
        target.put(UInt32(metaCount), at: 36)
        target.put(UInt8(streamCount), at: 40)
        target.put(UInt8(typeCount), at: 41)
        target.put(UInt8(keyCount), at: 42)
        target.put(UInt8(cursorCount), at: 43)
        target.put(UInt32(jsonCount) | UInt32(zeros) << 24, at: 44)
    }

    /// Returns the length of the JSON, and nothing else of a header.
    @inlinable
    static func jsonCount(_ record: UnsafeRawBufferPointer) -> Int {
        Int(record.number(at: 44, as: UInt32.self)) & mostJSON
    }
}

extension Event {
    /// The header of the event whose JSON has the given number of bytes.
    package func header(jsonCount: Int) -> EventHeader {
        var header = EventHeader(
            place, streamCount: stream.spelling.count, typeCount: body.type.spelling.count)
        header.cursorCount = cursor?.count ?? 0
        header.keyCount = key?.spelling.count ?? 0
        header.tagsCount = tags?.count ?? 0
        header.metaCount = meta?.count ?? 0
        header.jsonCount = jsonCount
        return header
    }
}
