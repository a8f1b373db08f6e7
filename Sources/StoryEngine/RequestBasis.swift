package import StoryCore

extension RequestAction {
    /// `key=` of a write of events; nil where it has none, or the request is no such write.
    package var key: RequestKey? {
        if case .append(_, _, let options) = self { return options.key }
        if case .appendTogether(_, let options) = self { return options.key }
        if case .content(let write) = self { return write.options.key }
        return nil
    }

    /// Returns the one stream that a write is aimed at; nil if there is none yet, or if there are several.
    ///
    /// - Parameter catalogue: the catalogue whose kinds the request names.
    func stream(of catalogue: Catalogue) -> StreamName? {
        switch self {
        case .append(let stream, _, _): stream
        case .content(let write): write.id.map { catalogue[write.kind].stream($0) }
        case .get, .list, .count, .sorts, .read, .countEvents, .streams, .types, .define, .undefine, .models, .misfits,
            .appendTogether, .subscribe, .unsubscribe, .ping, .help, .stats, .metrics, .clients, .checkpoint, .verify,
            .seal, .backup, .cluster, .quit:
            nil
        }
    }
}
