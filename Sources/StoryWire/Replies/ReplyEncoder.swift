package import StoryCore

/// The encoder of the server's lines.
package struct ReplyEncoder {
    /// The encoder of the rows in them.
    package let rows: RowJSONEncoder

    /// Creates an encoder.
    package init(rows: RowJSONEncoder) { self.rows = rows }

    /// Appends one line of an answer: `=`, `+` or `-`, the tag, and the JSON.
    package func append(_ reply: Reply, tag: Tag?, to bytes: inout ByteWriter) {
        switch reply {
        case .stream(let stream):
            Self.appendHead(0x3D, tag, to: &bytes)
            Self.append(stream, to: &bytes)
        case .receipt(let receipt):
            Self.appendHead(0x3D, tag, to: &bytes)
            DoneEncoder.append(receipt, to: &bytes)
        case .sort(let sort, let order):
            Self.appendHead(0x3D, tag, to: &bytes)
            Self.append(sort, order, to: &bytes)
        case .line(let members):
            Self.appendHead(0x3D, tag, to: &bytes)
            MemberEncoder.append(members, to: &bytes)
        case .done(let done):
            Self.appendHead(0x2B, tag, to: &bytes)
            DoneEncoder.append(done, rows: rows, to: &bytes)
        case .failed(let failure): return Self.append(failure, tag: tag, to: &bytes)
        }
        bytes.byte(0x0A)
    }

    /// Appends `- {…}`: a failure that closes an answer.
    package static func append(_ failure: Failure, tag: Tag?, to bytes: inout ByteWriter) {
        appendHead(0x2D, tag, to: &bytes)
        FailureEncoder.append(failure, to: &bytes)
        bytes.byte(0x0A)
    }

    /// Appends `+ {…}`: the receipt that closes the answer to a write.
    ///
    /// - Parameter times: caches the text of the receipt's time for the next one.
    package static func append(_ receipt: Receipt, tag: Tag?, times: inout TimeText, to bytes: inout ByteWriter) {
        appendHead(0x2B, tag, to: &bytes)
        DoneEncoder.append(receipt, times: &times, to: &bytes)
        bytes.byte(0x0A)
    }

    /// Appends `+ {…}`: a row that closes the answer to a `GET`.
    package func appendAnswer(_ row: borrowing RowView, tag: Tag?, to bytes: inout ByteWriter) {
        Self.appendHead(0x2B, tag, to: &bytes)
        rows.append(row, to: &bytes)
        bytes.byte(0x0A)
    }

    /// Appends `= {…}`: a row of a list.
    package func appendRow(_ row: borrowing RowView, tag: Tag?, to bytes: inout ByteWriter) {
        Self.appendHead(0x3D, tag, to: &bytes)
        rows.append(row, to: &bytes)
        bytes.byte(0x0A)
    }

    /// Appends `* {…}`: a notice.
    package static func append(_ notice: Notice, to bytes: inout ByteWriter) {
        bytes.literal("* ")
        switch notice {
        case .greeting(let greeting): append(greeting, to: &bytes)
        case .draining(let position):
            bytes.literal(#"{"draining":true,"position":"#)
            bytes.integer(position.value)
            bytes.byte(0x7D)
        case .idle(let seconds, let position):
            bytes.literal(#"{"idle":"#)
            bytes.integer(seconds)
            bytes.literal(#","position":"#)
            bytes.integer(position.value)
            bytes.byte(0x7D)
        }
        bytes.byte(0x0A)
    }

    /// Appends `>N {…}`: a push other than an event or a row.
    package static func append(_ push: Push, subscription: SubscriptionID, to bytes: inout ByteWriter) {
        appendPushHead(subscription, to: &bytes)
        switch push {
        case .caughtUp(let position):
            bytes.literal(#"{"caughtUp":"#)
            bytes.integer(position.value)
        case .behind(let count):
            bytes.literal(#"{"behind":"#)
            bytes.integer(count)
        case .again(let position):
            bytes.literal(#"{"again":"#)
            bytes.integer(position.value)
        case .redelivered(let again):
            bytes.literal(#"{"again":"#)
            bytes.integer(again.event.value)
            bytes.literal(#","attempt":"#)
            bytes.integer(again.attempt)
            if again.isParked { bytes.literal(#","parked":true"#) }
        case .granted(let place, let count):
            bytes.literal(#"{"share":"#)
            bytes.integer(UInt64(place.share))
            bytes.literal(#","shares":"#)
            bytes.integer(count)
            bytes.literal(#","at":"#)
            bytes.integer(place.at.value)
        case .end(let reason, let position):
            bytes.literal(#"{"end":"#)
            bytes.string(reason.text)
            bytes.literal(#","resume":"#)
            bytes.integer(position.value)
            if reason.isDamage { bytes.literal(#","damaged":true"#) }
        }
        bytes.literal("}\n")
    }

    /// Appends `= {…}` around an event's JSON from the log.
    package static func appendEvent(_ record: EventRecord, tag: Tag?, to bytes: inout ByteWriter) {
        appendHead(0x3D, tag, to: &bytes)
        append(record, to: &bytes)
    }

    /// Appends `>N {…}` around an event's JSON from the log.
    package static func appendPush(_ record: EventRecord, subscription: SubscriptionID, to bytes: inout ByteWriter) {
        appendPushHead(subscription, to: &bytes)
        append(record, to: &bytes)
    }

    private static func append(_ record: EventRecord, to bytes: inout ByteWriter) {
        appendLine(record, to: &bytes)
        bytes.byte(0x0A)
    }

    /// Appends an event's JSON; in place of a content that was erased, the position where it was.
    package static func appendLine(_ record: EventRecord, to bytes: inout ByteWriter) {
        bytes.raw(record.json)
        if let erased = record.erased {
            bytes.literal(EventText.Member.erased)
            bytes.integer(erased.value)
            bytes.byte(0x7D)
        }
    }

    /// Appends `>N {…}`: records of the log as they are, in base64.
    ///
    /// - Parameters:
    ///   - run: whole records, one behind the other, and their positions.
    ///   - head: the last acknowledged event.
    package static func appendPush(
        _ run: RawRecords, head: Position, subscription: SubscriptionID, to bytes: inout ByteWriter
    ) {
        appendPushHead(subscription, to: &bytes)
        bytes.literal(#"{"first":"#)
        bytes.integer(run.first.value)
        bytes.literal(#","count":"#)
        bytes.integer(run.count)
        bytes.literal(#","position":"#)
        bytes.integer(head.value)
        bytes.literal(#","records":""#)
        run.bytes.withUnsafeBytes { bytes.base64($0) }
        bytes.literal("\"}\n")
    }

    /// Appends `>N {…}` around an event's JSON from the log.
    package static func appendPush(
        _ json: UnsafeRawBufferPointer, subscription: SubscriptionID, to bytes: inout ByteWriter
    ) {
        appendPushHead(subscription, to: &bytes)
        bytes.raw(json)
        bytes.byte(0x0A)
    }

    private static func appendHead(_ first: UInt8, _ tag: Tag?, to bytes: inout ByteWriter) {
        bytes.byte(first)
        if let tag {
            bytes.byte(0x40)
            tag.spelling.withUnsafeBytes { bytes.raw($0) }
        }
        bytes.byte(0x20)
    }

    private static func appendPushHead(_ subscription: SubscriptionID, to bytes: inout ByteWriter) {
        bytes.byte(0x3E)
        bytes.integer(subscription.value)
        bytes.byte(0x20)
    }

    private static func append(_ stream: StreamSummary, to bytes: inout ByteWriter) {
        bytes.literal(#"{"stream":"#)
        bytes.name(stream.name.spelling)
        bytes.literal(#","version":"#)
        bytes.integer(stream.version.value)
        bytes.literal(#","position":"#)
        bytes.integer(stream.position.value)
        bytes.byte(0x7D)
    }

    private static func append(_ sort: SortSchema, _ order: Order, to bytes: inout ByteWriter) {
        bytes.literal(#"{"sort":"#)
        bytes.string(sort.name)
        bytes.literal(#","title":"#)
        bytes.string(sort.title)
        bytes.literal(#","order":"#)
        bytes.string(order.rawValue)
        bytes.byte(0x7D)
    }

    private static func append(_ greeting: Greeting, to bytes: inout ByteWriter) {
        bytes.literal(#"{"server":"#)
        bytes.string(greeting.server)
        bytes.literal(#","protocol":1,"position":"#)
        bytes.integer(greeting.position.value)
        bytes.literal(#","durable":"#)
        bytes.string(greeting.durable.rawValue)
        bytes.literal(#","log":"#)
        greeting.log.bytes.withUnsafeBytes { bytes.name($0) }
        bytes.literal(#","limits":"#)
        append(greeting.limits, to: &bytes)
        bytes.literal(#","you":{"uid":"#)
        bytes.integer(UInt64(greeting.peer.uid))
        bytes.literal(#","role":"#)
        bytes.string(greeting.peer.role.name)
        bytes.byte(0x7D)
        if let cluster = greeting.cluster {
            bytes.literal(#","cluster":"#)
            MemberEncoder.append(cluster.members, to: &bytes)
        }
        bytes.byte(0x7D)
    }

    private static func append(_ limits: Limits, to bytes: inout ByteWriter) {
        let values: [(name: StaticString, value: Int)] = [
            (#"{"line":"#, limits.line), (#","inflight":"#, limits.inflight),
            (#","connections":"#, limits.connections), (#","subscriptions":"#, limits.subscriptions),
            (#","page":"#, limits.page), (#","output":"#, limits.output), (#","memory":"#, limits.memory),
            (#","idle":"#, limits.idle), (#","changes":"#, limits.changes), (#","changedBytes":"#, limits.changedBytes),
            (#","foldMilliseconds":"#, limits.foldMilliseconds),
        ]
        for (name, value) in values {
            bytes.literal(name)
            bytes.integer(value)
        }
        bytes.byte(0x7D)
    }
}
