package import StoryCore
package import StoryWire

/// Copies of what is lent, for as long as the tests run.
extension EventBody {
    package var kept: EventBody {
        switch self {
        case .user, .story, .message, .photo, .model, .erasure, .cursor: self
        case .custom(let type, let data): .custom(type.kept, data: data.kept)
        }
    }
}

extension Event {
    package var kept: Event {
        Event(
            position: position, stream: stream.kept, streamNumber: streamNumber, version: version, time: time, by: by,
            cursor: cursor?.kept, key: key?.kept, tags: tags?.kept, meta: meta?.kept, body: body.kept)
    }
}

extension WriteOptions {
    package var kept: WriteOptions {
        WriteOptions(key: key?.kept, version: version, meta: meta?.kept, unless: unless, log: log, cursor: cursor)
    }
}

extension EventProposal {
    package var kept: EventProposal { EventProposal(body: body.kept, meta: meta?.kept, tags: tags?.kept) }
}

extension StreamProposal {
    fileprivate var kept: StreamProposal {
        guard let event else { return StreamProposal(checking: stream.kept, version ?? .zero) }
        return StreamProposal(stream: stream.kept, version: version, event: event.kept)
    }
}

extension ContentWrite {
    package var kept: ContentWrite {
        ContentWrite(kind: kind, id: id?.kept, action: action.kept, options: options.kept)
    }
}

extension ContentAction {
    fileprivate var kept: ContentAction {
        switch self {
        case .post(let fields): .post(fields.map(\.kept))
        case .edit(let fields): .edit(fields.map(\.kept))
        case .like(let fields): .like(fields.map(\.kept))
        case .unlike(let fields): .unlike(fields.map(\.kept))
        case .see, .delete: self
        }
    }
}

extension RequestAction {
    package var kept: RequestAction {
        switch self {
        case .write(.content(let write)): .content(write.kept)
        case .write(.append(let stream, let events, let options)):
            .append(stream.kept, events.map(\.kept), options.kept)
        case .write(.appendTogether(let events, let options)):
            .appendTogether(events.map(\.kept), options.kept)
        case .read(.get(let kind, let id, let moment)): .get(kind, id.kept, at: moment)
        case .write(.define(let request)):
            .define(DefineRequest(name: request.name, text: request.text, key: request.key?.kept))
        case .read, .write(.undefine), .write(.erase), .write(.ack), .write(.fail), .write(.retry), .write(.discard),
            .write(.reset), .write(.drop), .follow, .operate:
            self
        case .write(.cursor(let request)):
            .write(
                .cursor(
                    CursorRequest(
                        name: request.name, definition: request.definition, key: request.key?.kept,
                        version: request.version)))
        }
    }
}

/// A request that can be looked at for as long as the tests run.
package struct KeptRequest: Equatable {
    package let tag: Tag?
    package let action: RequestAction

    package init(tag: Tag?, action: RequestAction) {
        self.tag = tag
        self.action = action
    }

    package init(_ request: borrowing Request) { self.init(tag: request.tag, action: request.action.kept) }
}

/// What is to be done about a line, to be looked at for as long as the tests run.
package enum KeptAction: Equatable {
    case needBytes
    case request(KeptRequest)
    case refuse(Tag?, Failure)
    case refuseAndClose(Tag?, Failure)
    case finished

    /// - Parameter request: what was asked for; nil where nothing was.
    package init(_ outcome: LineOutcome, _ request: KeptRequest?) {
        switch outcome {
        case .taken, .putBack: self = request.map { .request($0) } ?? .needBytes
        case .needBytes, .held: self = .needBytes
        case .refuse(let tag, let failure), .refuseWrite(let tag, let failure, _): self = .refuse(tag, failure)
        case .refuseAndClose(let tag, let failure): self = .refuseAndClose(tag, failure)
        case .finished: self = .finished
        }
    }
}
