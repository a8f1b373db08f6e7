/// A record of the log: the event's metadata, and its JSON in the form that goes out on the wire.
///
/// The text is `{"position":P,"stream":"S","version":V,"type":"T","time":"…","by":U[,"key":"K"][,"tags":["a","b"]]`
/// `[,"meta":M],"data":D}`.
/// The bytes belong to the log: a record is valid until the closure that receives it returns.
package struct EventRecord {
    /// The position in the log.
    package let position: Position
    /// The number of the stream.
    package let streamNumber: StreamNumber
    /// The version of the stream after the event.
    package let version: Version
    /// The time of the commit.
    package let time: Instant
    /// The uid of the process that wrote it.
    package let by: UInt32
    /// The whole line, without the LF.
    package let json: UnsafeRawBufferPointer
    /// The range of the stream's name in `json`, without the quotes.
    package let stream: Range<Int>
    /// The range of the type's name in `json`, without the quotes.
    package let type: Range<Int>
    /// The range of the key in `json`, without the quotes; nil where there is none.
    package let key: Range<Int>?
    /// The range of the whole array of tags in `json`; nil where there is none.
    package let tags: Range<Int>?
    /// The range of the whole meta in `json`; nil where there is none.
    package let meta: Range<Int>?
    /// The range of the whole data in `json`.
    package let data: Range<Int>

    /// Creates a record from its metadata, its JSON and the ranges of the parts.
    package init(
        position: Position, streamNumber: StreamNumber, version: Version, time: Instant, by: UInt32,
        json: UnsafeRawBufferPointer, stream: Range<Int>, type: Range<Int>, key: Range<Int>?,
        tags: Range<Int>? = nil, meta: Range<Int>?, data: Range<Int>
    ) {
        self.position = position
        self.streamNumber = streamNumber
        self.version = version
        self.time = time
        self.by = by
        self.json = json
        self.stream = stream
        self.type = type
        self.key = key
        self.tags = tags
        self.meta = meta
        self.data = data
    }

    /// Returns true when the event is of one of the types; an empty list means all.
    package func isOfType(_ types: [EventType]) -> Bool {
        guard !types.isEmpty else { return true }
        let name = json.slice(type.lowerBound, count: type.count)
        return types.contains { $0.spelling.withUnsafeBytes { $0.equals(name) } }
    }
}
