/// An event as it lies in the log: what is known without reading its JSON, and the JSON as it goes out on the wire.
///
/// The text is `{"position":P,"stream":"S","version":V,"type":"T","time":"…","by":U[,"key":"K"][,"tags":["a","b"]]`
/// `[,"meta":M],"data":D}`.
/// The bytes belong to the log: a record must not outlive the closure that it was handed to.
package struct EventRecord {
    package let position: Position
    package let streamNumber: StreamNumber
    package let version: Version
    package let time: Instant
    package let by: UInt32
    /// The whole line, without the LF.
    package let json: UnsafeRawBufferPointer
    /// Where in `json` the parts lie; names without their quotes, values whole.
    package let stream: Range<Int>
    package let type: Range<Int>
    package let key: Range<Int>?
    /// The whole array.
    package let tags: Range<Int>?
    package let meta: Range<Int>?
    package let data: Range<Int>

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

    /// True when it is of one of these types; none asked for means all.
    package func isOfType(_ types: [EventType]) -> Bool {
        guard !types.isEmpty else { return true }
        let name = json.slice(type.lowerBound, count: type.count)
        return types.contains { $0.spelling.withUnsafeBytes { $0.equals(name) } }
    }
}
