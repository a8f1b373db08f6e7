package import StoryCore

/// Actions without the name of their group, as tests ask for them.
extension RequestAction {
    package static func get(_ kind: Kind, _ key: RowKey, at moment: Moment?) -> RequestAction {
        .read(.get(kind, key, at: moment))
    }
    package static func list(_ query: ListQuery) -> RequestAction { .read(.list(query)) }
    package static func count(_ kind: Kind, _ conditions: [Condition]) -> RequestAction {
        .read(.count(kind, conditions))
    }
    package static func sorts(_ kind: Kind) -> RequestAction { .read(.sorts(kind)) }
    package static func read(_ query: ReadQuery) -> RequestAction { .read(.read(query)) }
    package static func countEvents(_ query: ReadQuery) -> RequestAction { .read(.countEvents(query)) }
    package static func streams(_ query: StreamsQuery) -> RequestAction { .read(.streams(query)) }
    package static func types(_ query: TypesQuery) -> RequestAction { .read(.types(query)) }
    package static func models(_ name: String?) -> RequestAction { .read(.models(name)) }
    package static func misfits(_ query: MisfitsQuery) -> RequestAction { .read(.misfits(query)) }
    package static var ping: RequestAction { .read(.ping) }

    package static func content(_ write: ContentWrite) -> RequestAction { .write(.content(write)) }
    package static func append(
        _ stream: StreamName, _ proposals: [EventProposal], _ options: WriteOptions
    ) -> RequestAction { .write(.append(stream, proposals, options)) }
    package static func appendTogether(_ proposals: [StreamProposal], _ options: WriteOptions) -> RequestAction {
        .write(.appendTogether(proposals, options))
    }
    package static func undefine(_ name: String) -> RequestAction { .write(.undefine(name)) }
    /// A definition, or its dry run.
    package static func define(_ request: DefineRequest) -> RequestAction {
        request.check == nil ? .write(.define(request)) : .operate(.check(request))
    }

    package static func subscribe(_ query: SubscribeQuery) -> RequestAction { .follow(.subscribe(query)) }
    package static func unsubscribe(_ id: SubscriptionID) -> RequestAction { .follow(.unsubscribe(id)) }
    package static var quit: RequestAction { .follow(.quit) }

    package static func help(_ topic: String?) -> RequestAction { .operate(.help(topic)) }
    package static var stats: RequestAction { .operate(.stats) }
    package static var metrics: RequestAction { .operate(.metrics) }
    package static func clients(_ request: ClientsRequest) -> RequestAction { .operate(.clients(request)) }
    package static var checkpoint: RequestAction { .operate(.checkpoint) }
    package static func verify(at moment: Moment?) -> RequestAction { .operate(.verify(at: moment)) }
    package static func seal(at moment: Moment?) -> RequestAction { .operate(.seal(at: moment)) }
    package static func backup(_ path: [UInt8]) -> RequestAction { .operate(.backup(path)) }
    package static func cluster(_ change: NodeChange?) -> RequestAction { .operate(.cluster(change)) }
}
