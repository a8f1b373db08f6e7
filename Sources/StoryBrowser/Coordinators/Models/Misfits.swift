import StoryClient

import struct FoundationEssentials.Date

/// An event that did not fit a declared model.
struct Misfit: BrowsedRow {
    let position: UInt64
    /// The line of the definition.
    let line: Int64
    let rule: String
    /// The statement at which it did not fit.
    let statement: String
    let stream: String
    let type: String
    /// The time of the event; nil in a list.
    var time: Date?
    /// The data of the event, a member a line; empty in a list.
    var text = ""

    var id: String { "\(position)" }

    /// Creates a misfit from a line of `READ misfits/NAME`; nil if that is none.
    init?(_ line: JSONValue) {
        guard let position = line.position?.integerValue.flatMap(UInt64.init(exactly:)) else { return nil }
        self.position = position
        self.line = line.line?.integerValue ?? 0
        rule = line.rule?.stringValue ?? ""
        statement = line.statement?.stringValue ?? ""
        stream = line.event?.stream?.stringValue ?? ""
        type = line.event?.type?.stringValue ?? ""
    }
}

/// The description of the events that did not fit a declared model for their coordinator.
struct Misfits: ReadOnlyKind {
    typealias Content = Misfit

    let noun = "misfit"
    let model: String
    let firstSort = OneSort.position
    let freshness = Freshness.events(.all)

    var title: String { "misfits of \(model)" }
    func name(of id: String) -> String { "misfit \(id)" }

    var columns: [ListColumn<Misfit>] {
        [
            ListColumn("position", of: "position", width: .whole(10)) { "\($0.position)" },
            ListColumn("stream", of: "stream", width: .name(12)) { $0.stream },
            ListColumn("type", of: "type", width: .name(10)) { $0.type },
            ListColumn("rule", of: "rule", width: .whole(10)) { $0.rule },
            ListColumn("line", of: "line", width: .whole(4)) { "\($0.line)" },
            ListColumn("statement", of: "statement", width: .rest) { $0.statement },
        ]
    }

    var emptiness: String { "every event has fitted \(model)" }
    let presence = "an event that changed nothing"

    func facts(of misfit: Misfit) -> [Fact] {
        [
            Fact("rule", misfit.rule), Fact("line \(misfit.line)", misfit.statement),
            Fact("stream", misfit.stream), Fact("type", misfit.type), Fact("position", "\(misfit.position)"),
        ] + (misfit.time.map { [Fact("time", Moments.told($0))] } ?? [])
    }

    func text(of misfit: Misfit) -> String { misfit.text }

    var keys: [RowKey<Misfits>] {
        [RowKey(key: "o", name: "stream") { misfit, _ in .open(.events(.stream(misfit.stream))) }]
    }

    var links: [KindLink] {
        [KindLink(key: "d", name: "definition", destination: .model(model))]
    }

    func list(_ request: ListRequest<Misfits>, from client: StoreClient) async throws -> Page<Misfit> {
        let page = try await client.models.misfits(
            of: model, from: request.after.flatMap(UInt64.init), order: request.query.order, limit: request.limit)
        return Page(rows: page.rows.compactMap { Misfit($0) }, next: page.next, position: page.position)
    }

    func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<Misfit>) async -> Void
    ) async throws {
        let position = UInt64(id) ?? 0
        let page = try await client.models.misfits(of: model, from: position, limit: 1)
        let event = try await client.read(from: .position(max(1, position)), limit: 1).rows.first
        guard var misfit = page.rows.first.flatMap({ Misfit($0) }), misfit.position == position else {
            return await send(.absent(position: position))
        }
        misfit.time = event?.time
        misfit.text = event?.dataLines ?? ""
        await send(.row(misfit, position: position))
    }
}
