import StoryClient

/// The figures of the store in the text format OpenMetrics, for programs that collect them.
enum FigurePage {
    /// Asks the store for its figures.
    static func answer(of connections: QueryConnections) -> HTTPAnswer {
        do throws(ClientError) {
            let rows = try QueryAnswer.rows("METRICS", of: connections)
            let text = rows.map { JSONMembers($0.json)?.text("text") ?? "" }.joined() + "# EOF\n"
            return .content("application/openmetrics-text; version=1.0.0; charset=utf-8", .bytes(Array(text.utf8)))
        } catch {
            return StoreFailure.answer(error)
        }
    }
}
