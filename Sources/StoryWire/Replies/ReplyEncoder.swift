package import StoryCore

/// The encoder of the server's lines, which are appended to byte arrays.
package struct ReplyEncoder {
    /// Appends one line of an answer: `=`, `+` or `-`, the tag, and the JSON.
    package static func append(_ reply: Reply, tag: Tag?, to bytes: inout [UInt8]) {
        switch reply {
        case .stream(let stream):
            appendHead(0x3D, tag, to: &bytes)
            append(stream, to: &bytes)
        case .receipt(let receipt):
            appendHead(0x3D, tag, to: &bytes)
            DoneEncoder.append(receipt, to: &bytes)
        case .sort(let sort, let order):
            appendHead(0x3D, tag, to: &bytes)
            append(sort, order, to: &bytes)
        case .line(let members):
            appendHead(0x3D, tag, to: &bytes)
            MemberEncoder.append(members, to: &bytes)
        case .done(let done):
            appendHead(0x2B, tag, to: &bytes)
            DoneEncoder.append(done, to: &bytes)
        case .failed(let failure):
            appendHead(0x2D, tag, to: &bytes)
            FailureEncoder.append(failure, to: &bytes)
        }
        bytes.append(0x0A)
    }

    /// Appends `+ {…}`: the receipt that closes the answer to a write.
    ///
    /// - Parameter times: caches the text of the receipt's time for the next one.
    package static func append(_ receipt: Receipt, tag: Tag?, times: inout TimeText, to bytes: inout [UInt8]) {
        appendHead(0x2B, tag, to: &bytes)
        bytes.appendWritten(atMost: DoneEncoder.count(receipt) + 1) { writer in
            DoneEncoder.write(receipt, &times, to: &writer)
            writer.byte(0x0A)
        }
    }

    /// Appends `+ {…}`: a row that closes the answer to a `GET`.
    package static func appendAnswer(_ row: borrowing RowView, tag: Tag?, to bytes: inout [UInt8]) {
        appendHead(0x2B, tag, to: &bytes)
        RowJSONEncoder.standard.append(row, to: &bytes)
        bytes.append(0x0A)
    }

    /// Appends `= {…}`: a row of a list.
    package static func appendRow(_ row: borrowing RowView, tag: Tag?, to bytes: inout [UInt8]) {
        appendHead(0x3D, tag, to: &bytes)
        RowJSONEncoder.standard.append(row, to: &bytes)
        bytes.append(0x0A)
    }

    /// Appends `* {…}`: a notice.
    package static func append(_ notice: Notice, to bytes: inout [UInt8]) {
        bytes.appendLiteral("* ")
        switch notice {
        case .greeting(let greeting): append(greeting, to: &bytes)
        case .draining(let position):
            bytes.appendLiteral(#"{"draining":true,"position":"#)
            bytes.appendInteger(position.value)
            bytes.append(0x7D)
        case .idle(let seconds, let position):
            bytes.appendLiteral(#"{"idle":"#)
            bytes.appendInteger(seconds)
            bytes.appendLiteral(#","position":"#)
            bytes.appendInteger(position.value)
            bytes.append(0x7D)
        }
        bytes.append(0x0A)
    }

    /// Appends `>N {…}`: a push other than an event or a row.
    package static func append(_ push: Push, subscription: SubscriptionID, to bytes: inout [UInt8]) {
        appendPushHead(subscription, to: &bytes)
        switch push {
        case .caughtUp(let position):
            bytes.appendLiteral(#"{"caughtUp":"#)
            bytes.appendInteger(position.value)
        case .behind(let count):
            bytes.appendLiteral(#"{"behind":"#)
            bytes.appendInteger(count)
        case .end(let reason, let position):
            bytes.appendLiteral(#"{"end":"#)
            bytes.appendString(reason.text)
            bytes.appendLiteral(#","resume":"#)
            bytes.appendInteger(position.value)
            if reason.isDamage { bytes.appendLiteral(#","damaged":true"#) }
        }
        bytes.appendLiteral("}\n")
    }

    /// Appends `= {…}` around an event's JSON from the log.
    package static func appendEvent(_ record: EventRecord, tag: Tag?, to bytes: inout [UInt8]) {
        appendHead(0x3D, tag, to: &bytes)
        append(record, to: &bytes)
    }

    /// Appends `>N {…}` around an event's JSON from the log.
    package static func appendPush(_ record: EventRecord, subscription: SubscriptionID, to bytes: inout [UInt8]) {
        appendPushHead(subscription, to: &bytes)
        append(record, to: &bytes)
    }

    /// Appends an event's JSON and an LF; in place of a content that was erased, the position where it was.
    private static func append(_ record: EventRecord, to bytes: inout [UInt8]) {
        bytes.appendRaw(record.json)
        if let erased = record.erased {
            bytes.appendLiteral(EventText.Member.erased)
            bytes.appendInteger(erased.value)
            bytes.append(0x7D)
        }
        bytes.append(0x0A)
    }

    /// Appends `>N {…}` around an event's JSON from the log.
    package static func appendPush(
        _ json: UnsafeRawBufferPointer, subscription: SubscriptionID, to bytes: inout [UInt8]
    ) {
        appendPushHead(subscription, to: &bytes)
        bytes.appendRaw(json)
        bytes.append(0x0A)
    }

    private static func appendHead(_ first: UInt8, _ tag: Tag?, to bytes: inout [UInt8]) {
        bytes.append(first)
        if let tag {
            bytes.append(0x40)
            tag.spelling.withUnsafeBytes { bytes.appendRaw($0) }
        }
        bytes.append(0x20)
    }

    private static func appendPushHead(_ subscription: SubscriptionID, to bytes: inout [UInt8]) {
        bytes.append(0x3E)
        bytes.appendInteger(subscription.value)
        bytes.append(0x20)
    }

    private static func append(_ stream: StreamSummary, to bytes: inout [UInt8]) {
        bytes.appendLiteral(#"{"stream":"#)
        bytes.appendName(stream.name.spelling)
        bytes.appendLiteral(#","version":"#)
        bytes.appendInteger(stream.version.value)
        bytes.appendLiteral(#","position":"#)
        bytes.appendInteger(stream.position.value)
        bytes.append(0x7D)
    }

    private static func append(_ sort: SortSchema, _ order: Order, to bytes: inout [UInt8]) {
        bytes.appendLiteral(#"{"sort":"#)
        bytes.appendString(sort.name)
        bytes.appendLiteral(#","title":"#)
        bytes.appendString(sort.title)
        bytes.appendLiteral(#","order":"#)
        bytes.appendString(order.rawValue)
        bytes.append(0x7D)
    }

    private static func append(_ greeting: Greeting, to bytes: inout [UInt8]) {
        bytes.appendLiteral(#"{"server":"#)
        bytes.appendString(greeting.server)
        bytes.appendLiteral(#","protocol":1,"position":"#)
        bytes.appendInteger(greeting.position.value)
        bytes.appendLiteral(#","durable":"#)
        bytes.appendString(greeting.durable.rawValue)
        bytes.appendLiteral(#","log":"#)
        bytes.appendName(greeting.log.bytes)
        bytes.appendLiteral(#","limits":"#)
        append(greeting.limits, to: &bytes)
        bytes.appendLiteral(#","you":{"uid":"#)
        bytes.appendInteger(UInt64(greeting.peer.uid))
        bytes.appendLiteral(#","role":"#)
        bytes.appendString(greeting.peer.role.name)
        bytes.appendLiteral("}}")
    }

    private static func append(_ limits: Limits, to bytes: inout [UInt8]) {
        bytes.appendLiteral(#"{"line":"#)
        bytes.appendInteger(limits.line)
        bytes.appendLiteral(#","inflight":"#)
        bytes.appendInteger(limits.inflight)
        bytes.appendLiteral(#","connections":"#)
        bytes.appendInteger(limits.connections)
        bytes.appendLiteral(#","subscriptions":"#)
        bytes.appendInteger(limits.subscriptions)
        bytes.appendLiteral(#","page":"#)
        bytes.appendInteger(limits.page)
        bytes.appendLiteral(#","output":"#)
        bytes.appendInteger(limits.output)
        bytes.appendLiteral(#","memory":"#)
        bytes.appendInteger(limits.memory)
        bytes.appendLiteral(#","idle":"#)
        bytes.appendInteger(limits.idle)
        bytes.append(0x7D)
    }
}
