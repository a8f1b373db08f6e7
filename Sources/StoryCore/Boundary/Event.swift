/// One immutable fact that is about to be written: its place in the log, and what it says.
///
/// Its texts are lent: it is good for as long as the request that it comes from.
package struct Event: Equatable, Sendable {
    package let position: Position
    package let stream: StreamName
    package let streamNumber: StreamNumber
    package let version: Version
    /// When the store committed it; never before the event ahead of it.
    package let time: Instant
    /// The uid of the process that wrote it.
    package let by: UInt32
    package let key: RequestKey?
    /// The text of a JSON array of tags, without white space.
    package let tags: ByteView?
    /// A JSON object's text, as it came.
    package let meta: ByteView?
    package let body: EventBody

    package init(
        position: Position, stream: StreamName, streamNumber: StreamNumber, version: Version, time: Instant, by: UInt32,
        key: RequestKey?, tags: ByteView? = nil, meta: ByteView?, body: EventBody
    ) {
        self.position = position
        self.stream = stream
        self.streamNumber = streamNumber
        self.version = version
        self.time = time
        self.by = by
        self.key = key
        self.tags = tags
        self.meta = meta
        self.body = body
    }
}
