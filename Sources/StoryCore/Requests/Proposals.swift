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
    /// `unless=`: the events that must not have come.
    @usableFromInline package var unless: EventPreconditions?
    /// `log=`: the history that the positions of the preconditions are of.
    @usableFromInline package var log: LogID?
    /// `cursor=`: the event of a cursor that the write makes done.
    @usableFromInline package var cursor: CursorMark?

    /// Creates options; all are absent by default.
    @inlinable
    package init(
        key: RequestKey? = nil, version: Version? = nil, meta: ByteView? = nil, unless: EventPreconditions? = nil,
        log: LogID? = nil, cursor: CursorMark? = nil
    ) {
        (self.key, self.version, self.meta, self.unless, self.log) = (key, version, meta, unless, log)
        self.cursor = cursor
    }
}
