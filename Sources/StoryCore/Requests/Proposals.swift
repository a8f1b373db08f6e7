/// One event that a write proposes, without a position in the log yet.
package struct EventProposal: Equatable, Sendable {
    /// The typed fact, or the data of a custom event.
    package let body: EventBody
    /// The text of a JSON object, unchanged.
    package let meta: ByteView?
    /// The text of a JSON array of tags, without white space.
    package let tags: ByteView?

    /// Creates a proposal.
    package init(body: EventBody, meta: ByteView?, tags: ByteView? = nil) {
        self.body = body
        self.meta = meta
        self.tags = tags
    }

    /// Returns the parts of one proposal's text: type and data of a custom event, nil for other events; the tags and
    /// the meta.
    ///
    /// The parts are read from the array's storage, since copying a proposal takes longer than writing it.
    package static func parts(
        of proposals: [EventProposal], _ index: Int
    ) -> (custom: (type: EventType, data: ByteView)?, tags: ByteView?, meta: ByteView?) {
        proposals.withUnsafeBufferPointer { proposals in
            let tags = proposals[index].tags
            let meta = proposals[index].meta
            if case .custom(let type, let data) = proposals[index].body { return ((type, data), tags, meta) }
            return (nil, tags, meta)
        }
    }

    /// Creates a proposal of a custom event.
    ///
    /// - Parameter data: a JSON value's text, kept byte for byte.
    package init(type: EventType, data: ByteView, meta: ByteView?, tags: ByteView? = nil) {
        self.init(body: .custom(type, data: data), meta: meta, tags: tags)
    }
}

/// One element of an `APPEND *`: an event with its stream, or the version of a stream that is only checked.
package struct StreamProposal: Equatable, Sendable {
    /// The stream that the event is appended to, or whose version is checked.
    package let stream: StreamName
    /// The version that the stream must have before this element, after the events ahead of it in the request.
    package let version: Version?
    /// The event to append; nil for a check.
    package let event: EventProposal?

    /// Creates a proposal for a stream.
    package init(stream: StreamName, version: Version? = nil, event: EventProposal) {
        (self.stream, self.version, self.event) = (stream, version, event)
    }

    /// Creates a check of a stream's version.
    package init(checking stream: StreamName, _ version: Version) {
        (self.stream, self.version, event) = (stream, version, nil)
    }
}

/// The options of every write.
@usableFromInline
package struct WriteOptions: Equatable, Sendable {
    /// `key=`: makes the write idempotent for ever.
    @usableFromInline package var key: RequestKey?
    /// `version=`: the version that the stream must have.
    @usableFromInline package var version: Version?
    /// `meta=`: the text of a JSON object, unchanged.
    @usableFromInline package var meta: ByteView?
    /// The options that few writes name; nil where the write names none of them.
    @usableFromInline var rare: RareOptions?

    /// `unless=`: the events that must not have come.
    package var unless: EventPreconditions? {
        get { rare?.unless }
        set { rare = RareOptions.named(unless: newValue, log: log, cursor: cursor) }
    }
    /// `log=`: the history that the positions of the preconditions are of.
    package var log: LogID? {
        get { rare?.log }
        set { rare = RareOptions.named(unless: unless, log: newValue, cursor: cursor) }
    }
    /// `cursor=`: the event of a cursor that the write makes done.
    package var cursor: CursorMark? {
        get { rare?.cursor }
        set { rare = RareOptions.named(unless: unless, log: log, cursor: newValue) }
    }
    /// True where the write names something that must hold, beside its key.
    package var areConditional: Bool { version != nil || rare != nil }

    /// Creates options; all are absent by default.
    @inlinable
    package init(
        key: RequestKey? = nil, version: Version? = nil, meta: ByteView? = nil, unless: EventPreconditions? = nil,
        log: LogID? = nil, cursor: CursorMark? = nil
    ) {
        (self.key, self.version, self.meta) = (key, version, meta)
        rare = RareOptions.named(unless: unless, log: log, cursor: cursor)
    }
}

/// The options that few writes name, in an object of their own: a request is moved and copied often, and is small so.
@usableFromInline
final class RareOptions: Equatable, Sendable {
    let unless: EventPreconditions?
    let log: LogID?
    let cursor: CursorMark?

    private init(unless: EventPreconditions?, log: LogID?, cursor: CursorMark?) {
        (self.unless, self.log, self.cursor) = (unless, log, cursor)
    }

    /// Returns an object of those that are named; nil where none is. An initialiser that fails would allocate one first.
    @usableFromInline
    static func named(unless: EventPreconditions?, log: LogID?, cursor: CursorMark?) -> RareOptions? {
        guard unless != nil || log != nil || cursor != nil else { return nil }
        return RareOptions(unless: unless, log: log, cursor: cursor)
    }

    @usableFromInline
    static func == (one: RareOptions, other: RareOptions) -> Bool {
        one.unless == other.unless && one.log == other.log && one.cursor == other.cursor
    }
}
