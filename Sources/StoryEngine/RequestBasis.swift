import StoryCore

extension RequestAction {
    /// Returns the one stream that a write is aimed at; nil if there is none yet, or if there are several.
    ///
    /// - Parameter catalogue: the catalogue whose kinds the request names.
    func stream(of catalogue: Catalogue) -> StreamName? {
        switch self {
        case .append(let stream, _, _): stream
        case .edit(let kind, let id, _, _), .like(let kind, let id, _, _), .unlike(let kind, let id, _, _),
            .see(let kind, let id, _), .delete(let kind, let id, _):
            catalogue[kind].stream(id)
        case .get, .list, .count, .sorts, .read, .streams, .post, .appendTogether, .subscribe, .unsubscribe, .ping,
            .help, .stats, .metrics, .clients, .checkpoint, .verify, .backup, .quit:
            nil
        }
    }
}
