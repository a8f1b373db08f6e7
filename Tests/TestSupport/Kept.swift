package import StoryCore
package import StoryWire

/// Copies of what is lent, for as long as the tests run.
extension EventBody {
    package var kept: EventBody {
        switch self {
        case .user, .story, .message, .photo: self
        case .custom(let type, let data): .custom(type.kept, data: data.kept)
        }
    }
}

extension Event {
    package var kept: Event {
        Event(
            position: position, stream: stream, streamNumber: streamNumber, version: version, time: time, by: by,
            key: key, tags: tags?.kept, meta: meta?.kept, body: body.kept)
    }
}

extension WriteOptions {
    package var kept: WriteOptions { WriteOptions(key: key, version: version, meta: meta?.kept) }
}

extension EventProposal {
    package var kept: EventProposal { EventProposal(body: body.kept, meta: meta?.kept, tags: tags?.kept) }
}

extension RequestAction {
    package var kept: RequestAction {
        switch self {
        case .post(let kind, let fields, let options): .post(kind, fields.map(\.kept), options.kept)
        case .edit(let kind, let id, let fields, let options): .edit(kind, id, fields.map(\.kept), options.kept)
        case .like(let kind, let id, let fields, let options): .like(kind, id, fields.map(\.kept), options.kept)
        case .unlike(let kind, let id, let fields, let options): .unlike(kind, id, fields.map(\.kept), options.kept)
        case .see(let kind, let id, let options): .see(kind, id, options.kept)
        case .delete(let kind, let id, let options): .delete(kind, id, options.kept)
        case .append(let stream, let events, let options): .append(stream, events.map(\.kept), options.kept)
        case .appendTogether(let events, let options):
            .appendTogether(
                events.map { StreamProposal(stream: $0.stream, version: $0.version, event: $0.event.kept) },
                options.kept)
        case .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping, .help, .stats, .checkpoint,
            .verify, .backup, .quit:
            self
        }
    }
}

extension LineAction {
    package var kept: LineAction {
        switch self {
        case .request(let request): .request(Request(tag: request.tag, action: request.action.kept))
        case .needBytes, .refuse, .refuseAndClose, .finished: self
        }
    }
}
