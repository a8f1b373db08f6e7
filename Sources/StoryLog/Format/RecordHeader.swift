import StoryCore
import StoryStorage

/// The binary numbers before an event's JSON, 40 bytes, little-endian.
///
/// `checksum 8 · time 8 · version 6 · stream number 6 · by 4 · meta length 21 bits · tags length 11 bits ·
/// stream length 1 · type length 1 · key length 1 · flags 1`. A length of 0 says that the event has no such part.
struct RecordHeader: Equatable {
    static let size = 40
    /// The checksum covers everything behind it.
    static let checked = 8
    private static let sealedFlag: UInt8 = 1
    private static let metaBits: UInt32 = 21

    var time: Int64
    var version: UInt64
    var streamNumber: UInt64
    var by: UInt32
    /// Below 2^21.
    var metaCount: UInt32
    /// Below 2^11.
    var tagsCount: UInt32 = 0
    var streamCount: UInt8
    var typeCount: UInt8
    var keyCount: UInt8
    /// True on the last record of a commit: a seal follows its JSON.
    var isSealed: Bool

    /// Reads the numbers; the buffer has at least `size` bytes.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        time = bytes.number(at: 8, as: Int64.self)
        version = bytes.number48(at: 16)
        streamNumber = bytes.number48(at: 22)
        by = bytes.number(at: 28, as: UInt32.self)
        let counts = bytes.number(at: 32, as: UInt32.self)
        metaCount = counts & (1 << RecordHeader.metaBits - 1)
        tagsCount = counts >> RecordHeader.metaBits
        streamCount = bytes[36]
        typeCount = bytes[37]
        keyCount = bytes[38]
        isSealed = bytes[39] & RecordHeader.sealedFlag != 0
    }

    init(
        time: Int64, version: UInt64, streamNumber: UInt64, by: UInt32, metaCount: UInt32, tagsCount: UInt32 = 0,
        streamCount: UInt8, typeCount: UInt8, keyCount: UInt8, isSealed: Bool
    ) {
        self.time = time
        self.version = version
        self.streamNumber = streamNumber
        self.by = by
        self.metaCount = metaCount
        self.tagsCount = tagsCount
        self.streamCount = streamCount
        self.typeCount = typeCount
        self.keyCount = keyCount
        self.isSealed = isSealed
    }

    /// Writes all but the checksum, which is put when the record is known to be whole.
    @inline(__always)
    func write(to place: UnsafeMutableRawPointer) {
        place.put(time, at: 8)
        place.put48(version, at: 16)
        place.put48(streamNumber, at: 22)
        place.put(by, at: 28)
        place.put(metaCount | tagsCount << RecordHeader.metaBits, at: 32)
        place.put(streamCount, at: 36)
        place.put(typeCount, at: 37)
        place.put(keyCount, at: 38)
        place.put(isSealed ? RecordHeader.sealedFlag : 0, at: 39)
    }

    static func markSealed(_ place: UnsafeMutableRawPointer) { place.put(sealedFlag, at: 39) }
}
