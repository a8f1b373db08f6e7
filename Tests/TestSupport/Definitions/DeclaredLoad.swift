import StoryCore

/// A declared model that the loads of harnesses define early, and its checks: each event of users counts once in its
/// rows, and its stores are the log, folded.
package enum DeclaredLoad {
    /// The name of the model.
    package static let name = "counted"

    /// The request that defines it: two indexes, two sorts and a note over all events of users.
    package static let request = define("index last; index n, last; sort seen, n")

    /// The request that gives it other indexes and sorts alone: its rows are taken over.
    package static let indexedAnew = define("index n; index last, seen; sort n")

    private static func define(_ indexes: String) -> String {
        "DEFINE \(name) \"from *; key event.category, event.type; n: number = 0; seen: number; last: text(400); "
            + "note seen: number; \(indexes); on * { note.seen += 1; n += 1 } "
            + "every { seen = note.seen; last = event.id }\""
    }

    /// A difference between a model and the log.
    package struct Violation: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    /// Waits until the model answers, if there is one; what activates it is in the log then.
    package static func settle(_ client: LineSocket) throws {
        var state: [String] = []
        try until("the model is built: \(state)") {
            state = try client.rows("MODELS")
            return state.allSatisfy { $0.contains(#""state":"ready""#) && !$0.contains(#""building""#) }
        }
    }

    /// Holds the rows that a daemon shows against its log.
    ///
    /// - Throws: the difference.
    package static func check(_ client: LineSocket) throws {
        try settle(client)
        var (position, events): (UInt64, UInt64) = (0, 0)
        while true {
            let rows = try client.rows("READ events from=\(position + 1) limit=10000")
            guard !rows.isEmpty else { break }
            events += UInt64(rows.count { $0.text("stream").map(isRead) ?? false })
            position += UInt64(rows.count)
        }
        try check(client, events: events)
    }

    /// Whether the model reads a stream: it is none of the store's own.
    private static func isRead(_ stream: String) -> Bool {
        !Definition.builtInCategories.contains(String(stream.prefix { $0 != "-" }))
    }

    /// Holds the rows that a daemon shows against the number of the events of users, where the model is defined.
    ///
    /// - Throws: the difference.
    package static func check(_ client: LineSocket, events: UInt64) throws {
        try settle(client)
        guard try client.rows("MODELS").contains(where: { $0.text("name") == name }) else { return }
        let rows = try client.allRows("LIST \(name) limit=1000")
        let counted = rows.reduce(0) { $0 + ($1.number("n") ?? 0) }
        guard counted == events, try client.ask("COUNT \(name)").number("count") == UInt64(rows.count) else {
            throw Violation("\(events) events of users, and \(counted) are in the rows \(rows)")
        }
    }
}
