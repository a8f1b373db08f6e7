import StoryStorage
import StoryCore

/// The offsets of the parts of an event in its JSON, computed from lengths without reading the text.
struct RecordLayout: Equatable {
    let stream: Range<Int>
    let type: Range<Int>
    let key: Range<Int>?
    let tags: Range<Int>?
    let meta: Range<Int>?
    let data: Range<Int>
    /// The key and the tags with their names; empty if there are none. The text before them is never erased; the
    /// content follows them.
    let labels: Range<Int>

    /// Computes the offsets; nil if the lengths do not fit a text of `count` bytes.
    @inline(__always)
    init?(position: UInt64, _ header: RecordHeader, count: Int) {
        // {"position":P,"stream":"S","version":V,"type":"T","time":"…","by":U
        // [,"key":"K"][,"tags":[…]][,"meta":M],"data":D}
        let streamStart = RecordLayout.streamStart(position)
        stream = streamStart..<streamStart + Int(header.streamCount)
        let typeStart = stream.upperBound + 12 + RecordLayout.digits(header.version) + 9
        type = typeStart..<typeStart + Int(header.typeCount)
        let prefixEnd = type.upperBound + 10 + Instant.textCount + 7 + RecordLayout.digits(UInt64(header.by))
        var end = prefixEnd
        if header.keyCount > 0 {
            key = end + 8..<end + 8 + Int(header.keyCount)
            end += 9 + Int(header.keyCount)
        } else {
            key = nil
        }
        if header.tagsCount > 0 {
            tags = end + 8..<end + 8 + Int(header.tagsCount)
            end += 8 + Int(header.tagsCount)
        } else {
            tags = nil
        }
        labels = prefixEnd..<end
        if header.metaCount > 0 {
            meta = end + 8..<end + 8 + Int(header.metaCount)
            end += 8 + Int(header.metaCount)
        } else {
            meta = nil
        }
        guard end + 8 < count - 1 else { return nil }
        data = end + 8..<count - 1
    }

    /// Returns the offset of the stream's name in the JSON of the event at a position.
    @inline(__always)
    static func streamStart(_ position: UInt64) -> Int { 12 + RecordLayout.digits(position) + 11 }

    /// Returns the number of decimal digits of a number.
    @inline(__always)
    static func digits(_ number: UInt64) -> Int {
        // One digit is checked first, since it is the commonest: versions, positions of young logs, uids.
        if number < 10 { return 1 }
        var count = 2
        var bound: UInt64 = 100
        while number >= bound {
            count += 1
            let (next, isPast) = bound.multipliedReportingOverflow(by: 10)
            if isPast { break }
            bound = next
        }
        return count
    }
}
