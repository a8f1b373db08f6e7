import StoryStorage
import StoryCore

/// Where the parts of an event lie in its JSON, computed from lengths without looking at the text.
struct RecordLayout: Equatable {
    let stream: Range<Int>
    let type: Range<Int>
    let key: Range<Int>?
    let tags: Range<Int>?
    let meta: Range<Int>?
    let data: Range<Int>
    /// The key and the tags with their names, empty where there are none. What stands before them is never erased;
    /// behind them stands the content.
    let labels: Range<Int>

    /// Nil when the lengths do not fit a text of `count` bytes.
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

    /// Where the stream's name begins in the JSON of the event at a position.
    @inline(__always)
    static func streamStart(_ position: UInt64) -> Int { 12 + RecordLayout.digits(position) + 11 }

    /// How many decimal digits a number has.
    @inline(__always)
    static func digits(_ number: UInt64) -> Int {
        // The commonest first: versions, positions of young logs, uids.
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
