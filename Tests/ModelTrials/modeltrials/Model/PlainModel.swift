/// A declared model, slowly and obviously: the meaning of a definition.
final class PlainModel {
    typealias Key = [[UInt8]]
    typealias Fields = [String: PlainValue]

    /// A row as it is.
    struct Row: Equatable {
        var fields: Fields
        let created: Int
        var changes: Int
        var position: UInt64
    }

    /// The first thing of an event that does not fit.
    struct Misfit: Error, Equatable {
        let line: Int
        let rule: PlainRule
    }

    let tree: Tree
    let fields: [String: Tree.Field]
    let notes: [String: Tree.Field]
    /// The values of a row that is made.
    let start: Fields
    private(set) var rows: [Key: Row] = [:]
    private(set) var memory: [[UInt8]: Fields] = [:]
    private(set) var misfits: [(position: UInt64, misfit: Misfit)] = []
    private(set) var misfitCount = 0
    private var created = 0

    // The event that is folded.
    var event = PlainEvent()
    var touched: [(key: Key, after: Fields?)] = []
    var noted: [(key: [UInt8], after: Fields)] = []
    /// The key of the row that statements change; nil where it cannot be made.
    var at: Key?
    /// The line of the `row` around a statement.
    var explicit: Int?

    init(_ tree: Tree) {
        self.tree = tree
        fields = Dictionary(uniqueKeysWithValues: tree.fields.map { ($0.name, $0) })
        notes = Dictionary(uniqueKeysWithValues: tree.notes.map { ($0.name, $0) })
        start = Dictionary(
            uniqueKeysWithValues: tree.fields.compactMap { field in
                field.start.map { (field.name, field.type.fit($0)) }
            })
    }

    /// Folds an event; whether it fitted.
    @discardableResult
    func fold(_ event: PlainEvent) -> Bool {
        guard let bodies = bodies(event) else { return true }
        (self.event, touched, noted, explicit) = (event, [], [], nil)
        do throws(Misfit) {
            at = rowKey(tree.key, [[:]])
            for body in bodies { try run(body, [[:]]) }
        } catch {
            misfitCount += 1
            misfits = (misfits + [(event.position, error)]).suffix(PlainLimits.misfits)
            if Planted.is(.misfitsKeepNotes) { keepNotes() }
            if Planted.is(.misfitsKeepRows) { keepRows() }
            return false
        }
        keepNotes()
        keepRows()
        return true
    }

    /// The statements that an event runs, one list after the other; nil where there are none for it.
    private func bodies(_ event: PlainEvent) -> [[Statement]]? {
        let category = event.category
        guard !["model", "cursor", "erasure", "system"].contains(category),
            tree.sources.contains(category) || tree.sources == ["*"]
        else { return nil }
        let named = tree.rules.first { $0.types.contains(event.type) }
        let rest = tree.rules.first { $0.types.contains("*") }
        let rule = Planted.is(.starsGoFirst) ? rest ?? named : named ?? rest
        guard let every = tree.every else { return rule.map { [$0.body] } }
        if Planted.is(.everyIsForTheRest), let rule { return [rule.body] }
        let bodies = [rule?.body ?? [], every]
        return Planted.is(.everyGoesFirst) ? bodies.reversed() : bodies
    }

    private func keepNotes() {
        for (key, after) in noted { memory[key] = after.isEmpty ? nil : after }
    }

    private func keepRows() {
        for (key, after) in touched {
            guard let after else {
                rows[key] = nil
                continue
            }
            guard var row = rows[key] else {
                created += 1
                let number = Planted.is(.numbersAreUsedAgain) ? rows.count + 1 : created
                rows[key] = Row(fields: after, created: number, changes: 1, position: event.position)
                continue
            }
            guard row.fields != after || Planted.is(.equalRowsChange) else { continue }
            (row.fields, row.changes, row.position) = (after, row.changes + 1, event.position)
            rows[key] = row
        }
    }

    /// The parts of a key; nil where they name no row.
    func rowKey(_ keys: [Expression]?, _ names: [Fields]) -> Key? {
        let parts =
            keys?.map { value($0, names).key(PlainLimits.part) } ?? [event.attribute("id").key(PlainLimits.part)]
        let key = parts.compactMap { $0 }
        let most = Planted.is(.keysAreLong) ? 402 : PlainLimits.key
        return key.count < parts.count || key.reduce(0, { $0 + $1.count }) > most ? nil : key
    }

    /// The fields of the row that statements change; nil where there is none.
    var row: Fields? {
        guard let at else { return nil }
        if let change = touched.first(where: { $0.key == at }) { return change.after }
        return rows[at]?.fields
    }

    /// The fields of the note record of a key.
    func note(_ key: [UInt8]) -> Fields { noted.first { $0.key == key }?.after ?? memory[key] ?? [:] }

    // MARK: Rows as they are shown

    /// The rows in the order in which they were made.
    var ordered: [(key: Key, row: Row)] {
        rows.sorted { $0.value.created < $1.value.created }.map { (key: $0.key, row: $0.value) }
    }

    func json(_ key: Key) -> String {
        guard let row = rows[key] else { return "null" }
        var json = #"{"id":\#(PlainValue.quoted(Array(PlainValue.id(key).utf8))),"changes":\#(row.changes)"#
        json += #","position":\#(row.position)"#
        for field in tree.fields {
            if let value = row.fields[field.name] { json += ",\"\(field.name)\":\(value.json)" }
        }
        return json + "}"
    }
}

/// An event as the model sees it.
struct PlainEvent {
    var stream = ""
    var type = ""
    var data = PlainValue.null
    var meta: PlainValue?
    var tags: [String]?
    var position: UInt64 = 0
    var version: UInt64 = 0
    /// Milliseconds since 1970.
    var time: Int64 = 0
    var by: UInt32?

    var category: String { String(stream.prefix { $0 != "-" }) }

    func attribute(_ name: String) -> PlainValue {
        switch name {
        case "id": .text(String(stream.dropFirst(category.utf8.count + 1)))
        case "stream": .text(stream)
        case "category": .text(category)
        case "type": .text(type)
        case "time": .time(time)
        case "position": .whole(Int(position))
        case "version": .whole(Int(version))
        case "by": by.map { .whole(Int($0)) } ?? .no(.missing)
        default: tags.map { .list($0.map { .text($0) }) } ?? .no(.missing)
        }
    }
}
