import StoryClient

/// The description of declared models for their coordinator: a list with their states, and a page with the definition.
struct Models: ReadOnlyKind {
    typealias Content = ModelDescription

    let noun = "model"
    let title = "models"
    /// Rows and progress change without an event of the models' streams.
    let freshness = Freshness.every(.milliseconds(500))

    func name(of id: String) -> String { "model \(id)" }
    func stream(of id: String) -> String? { "model-\(id)" }

    var columns: [ListColumn<ModelDescription>] {
        [
            ListColumn("model", of: "model", width: .name(12)) { $0.id },
            ListColumn("rows", of: "rows", width: .whole(9)) { "\($0.rows)" },
            ListColumn("misfits", of: "misfits", width: .whole(8), tone: .faults) { "\($0.misfits)" },
            ListColumn("state", of: "state", width: .rest, tone: .state) { $0.sentence },
        ]
    }

    func summary(of query: ListQuery<Models>) -> String { "read models over your own events, by name" }

    var emptiness: String {
        "no model is declared; storectl model define NAME FILE declares one. 6 shows the streams, 7 the log"
    }

    func facts(of model: ModelDescription) -> [Fact] {
        let reads = model.outline?.categories.map { $0.joined(separator: ", ") } ?? "all categories"
        let defined = [Fact("definition", "\(model.definition ?? 0), \(model.sentence)"), Fact("reads", reads)]
        // An earlier definition is known by its event alone.
        guard model.state != ModelDescription.defined else { return defined }
        let misfits = "\(model.misfits) misfit\(model.misfits == 1 ? "" : "s")"
        return defined + [
            Fact("rows", "\(model.rows), \(misfits), \(model.bytes) bytes"),
            Fact("filters", model.filters.joined(separator: ", ")), Fact("sorts", model.sorts.joined(separator: ", ")),
        ]
    }

    func text(of model: ModelDescription) -> String { model.text }

    var keys: [RowKey<Models>] {
        [
            RowKey(key: "o", name: "rows") { model, _ in .open(.rows(of: model.id)) },
            RowKey(key: "d", name: "definition", isForLists: true) { model, _ in .open(.model(model.id)) },
            RowKey(key: "m", name: "misfits") { model, _ in .open(.misfits(of: model.id)) },
        ]
    }

    func opened(_ model: ModelDescription) -> Destination? { .rows(of: model.id) }
}

// The store behind them.
extension Models {
    /// The time between two looks at the model of a page.
    private static let pause = Duration.milliseconds(500)

    func list(
        _ request: ListRequest<Models>, from client: StoreClient
    ) async throws -> Page<ModelDescription> {
        Page(rows: try await client.models.list().compactMap { ModelDescription($0) }, next: nil, position: 0)
    }

    /// Returns the definition that an event of the model's stream left: the newest one up to it.
    func row(
        _ id: String, after event: Event, from client: StoreClient
    ) async throws -> ModelDescription {
        let page = try await client.read(
            .stream(event.stream), from: .position(event.version), order: .descending, limit: 1,
            types: ["ModelDefined"])
        guard let defined = page.rows.first, let model = ModelDescription(of: id, definedBy: defined) else {
            throw ClientError.notFound(message: "model \(id) had no definition then")
        }
        return model
    }

    func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<ModelDescription>) async -> Void
    ) async throws {
        var told: RowChange<ModelDescription>?
        while true {
            let change: RowChange<ModelDescription>
            do {
                let model = try await client.models.list(id).first.flatMap { ModelDescription($0) }
                change = model.map { .row($0, position: 0) } ?? .absent(position: 0)
            } catch ClientError.unknown {
                change = .absent(position: 0)
            }
            if change != told { await send(change) }
            told = change
            try await Task.sleep(for: Models.pause)
        }
    }
}

extension ModelDescription {
    /// The state of a definition in its event.
    static let defined = "defined"

    /// Creates the description of a model from the event of a definition; nil if it is none.
    init?(of name: String, definedBy event: Event) {
        guard case .object(var members)? = try? event.data?.decode(JSONValue.self) else { return nil }
        members["model"] = .string(name)
        members["state"] = .string(ModelDescription.defined)
        self.init(.object(members))
    }
}
