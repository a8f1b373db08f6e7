import StoryStorage
import StoryCore

/// The header of a record: the numbers before an event's JSON, 48 bytes, little-endian.
///
/// `checksum 8 · state 1 · layout 1 · tags length 2 · by 4 · time 8 · version 6 · stream number 6 · meta length 4 ·
/// stream length 1 · type length 1 · key length 1 · zero 1 · JSON length 4`. A length of 0 says that the event has no
/// key, no tags or no meta.
package struct RecordHeader: Equatable {
    /// The size of a header, in bytes.
    package static let size = 48
    /// The offset where the checksummed part of a record begins.
    package static let checked = 8
    /// The offset where the sealed part of the header begins: the state, before it, is not sealed.
    static let sealed = 9
    /// The salt before each commitment, in bytes.
    static let saltSize = 16
    /// The layout that this program writes, and the only one that it reads.
    package static let layout: UInt8 = 1

    var time: Int64
    var version: UInt64
    var streamNumber: UInt64
    var by: UInt32
    var tagsCount: UInt16 = 0
    var metaCount: UInt32 = 0
    var streamCount: UInt8
    var typeCount: UInt8
    var keyCount: UInt8 = 0
    var jsonCount: UInt32
}

extension RecordHeader {
    /// Reads the numbers; the buffer has at least `size` bytes.
    @inline(__always)
    package init(_ bytes: UnsafeRawBufferPointer) {
        tagsCount = bytes.number(at: 10, as: UInt16.self)
        by = bytes.number(at: 12, as: UInt32.self)
        time = bytes.number(at: 16, as: Int64.self)
        version = bytes.number48(at: 24)
        streamNumber = bytes.number48(at: 30)
        metaCount = bytes.number(at: 36, as: UInt32.self)
        streamCount = bytes[40]
        typeCount = bytes[41]
        keyCount = bytes[42]
        jsonCount = bytes.number(at: 44, as: UInt32.self)
    }

    /// True if the event has a key or tags, which have a salt of their own.
    @inline(__always)
    var hasLabels: Bool { keyCount > 0 || tagsCount > 0 }
    /// The offset of the JSON, after the salts.
    @inline(__always)
    package var jsonStart: Int { RecordHeader.size + RecordHeader.saltSize * (hasLabels ? 2 : 1) }
    /// The size of the whole record, in bytes.
    @inline(__always)
    var recordCount: Int { jsonStart + Int(jsonCount) }

    /// Writes all but the checksum, which is written once the record is complete.
    @inline(__always)
    func write(to target: UnsafeMutableRawPointer) {
        target.put(UInt8(0), at: 8)
        target.put(RecordHeader.layout, at: 9)
        target.put(tagsCount, at: 10)
        target.put(by, at: 12)
        target.put(time, at: 16)
        target.put48(version, at: 24)
        target.put48(streamNumber, at: 30)
        target.put(metaCount, at: 36)
        target.put(streamCount, at: 40)
        target.put(typeCount, at: 41)
        target.put(keyCount, at: 42)
        target.put(UInt8(0), at: 43)
        target.put(jsonCount, at: 44)
    }
}
