import StoryCore
import StoryLog
import StoryFold
import StoryStore
package import StoryServer
import StoryStorage
import StoryWire

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
            throw Violation(description: "\(events) events of users, and \(counted) are in the rows \(rows)")
        }
    }

    /// Holds the stores of an open directory, each as far as it is folded, against the log.
    ///
    /// - Returns: how many stores were compared.
    /// - Throws: the difference; the error of reading.
    @discardableResult
    package static func check(_ store: OpenStore) throws -> Int {
        let table = DefinitionTable(MemoryModelStore(), json: JSONObjectReader())
        guard store.log.head > .zero else { return 0 }
        var failure: StorageError?
        try store.log.scan(from: Position(1), through: store.log.head, order: .ascending) { record in
            do throws(StorageError) { _ = try table.fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        let erased = try store.log.erasure.categories(JSONObjectReader())
        var count = 0
        for (name, model) in try table.defined() {
            for definition in [model.active, model.awaited].compactMap({ $0 }) {
                let text = String(decoding: definition.text, as: UTF8.self)
                // A start takes it away before anybody is shown its rows.
                if try Definition.read(text).program.reads(anyOf: erased) { continue }
                if try check(store, name, definition.number, text) {
                    count += 1
                }
            }
        }
        return count
    }

    private static func check(_ store: OpenStore, _ name: String, _ number: UInt32, _ text: String) throws -> Bool {
        let definition = try Definition.read(text)
        let declaration = KindDeclaration(model: name, definition, number: UInt64(number))
        let plan = CataloguePlan(try Catalogue([declaration]))
        let tables = plan[Kind(number: 0)].schema.tables
        let folder = ModelFolder(model: name, number: number, tables: tables)
        guard let stored = try store.modelFolders.open(folder) else { return false }
        defer { store.modelFolders.close(stored) }
        // It may have a part of its tables alone, and nobody uses it.
        guard stored.checkpointed > .zero, try !RowIndexing.isDeferred(in: stored) else { return false }
        let folded = MemoryModelStore()
        var fold = ModelFold(definition.program, plan[Kind(number: 0)], store: folded, events: ProgramEventReader())
        var failure: StorageError?
        try store.log.scan(from: Position(1), through: stored.checkpointed, order: .ascending) { record in
            do throws(StorageError) { try fold.fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        for table in tables {
            let expected = folded.entries(of: table)
            var (index, isSame) = (0, true)
            try stored.walk(table.number, .all, .ascending) { key, value in
                isSame =
                    index < expected.count && key.elementsEqual(expected[index].key)
                    && value.elementsEqual(expected[index].value)
                index += 1
                return isSame
            }
            guard isSame, index == expected.count else {
                let place = "\(table.name) of \(folder.name) at position \(stored.checkpointed.value), entry \(index)"
                throw Violation(description: "\(place) is not the log, folded")
            }
        }
        return true
    }
}
