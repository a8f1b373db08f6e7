import StoryCore
import StoryFold
import StoryWire

/// A question of a case: `get`, `list` or `count`, answered slowly out of all rows.
struct ModelQuestion {
    /// The members of a question.
    static let known = ["get", "list", "count", "sort", "order", "since", "until"]

    let model: MemoryModel
    private let fields: [ModelField]

    init(_ model: MemoryModel) {
        self.model = model
        fields = model.definition.fields
    }

    /// Returns the answer as JSON.
    func answer(_ json: [String: JSONValue]) -> String {
        if let id = json["get"]?.text {
            return model.rows.first { model.id($0) == id }.map { model.json($0) } ?? "null"
        }
        if let filters = json["count"] { return "\(list(filters, json).count)" }
        return "[" + list(json["list"], json).map { "\"\(model.id($0))\"" }.joined(separator: ",") + "]"
    }

    private func list(_ filters: JSONValue?, _ options: [String: JSONValue]) -> [MemoryModel.Row] {
        let rows = model.rows.filter { row in
            (filters?.members ?? []).allSatisfy { passes(row, field: $0.name, given: $0.value.text) }
        }
        let isAscending = options["order"]?.text == "asc"
        guard let sort = options["sort"]?.text, sort != "created",
            let field = fields.firstIndex(where: { $0.name == sort })
        else { return isAscending ? rows : rows.reversed() }
        let ranked = rows.enumerated().filter { _, row in
            value(of: row, field) { value in
                let low = options["since"].map { bound($0.text, of: field, for: value) } ?? .same
                let high = options["until"].map { bound($0.text, of: field, for: value) } ?? .before
                return !value.isMissing && low != .before && high == .before
            }
        }.sorted { left, right in
            value(of: left.element, field) { first in
                value(of: right.element, field) { second in
                    let order = first.sorted.order(to: second.sorted)
                    return order == .same ? left.offset < right.offset : order == .before
                }
            }
        }.map(\.element)
        let isBounded = options["since"] != nil || options["until"] != nil
        let rest = isBounded ? [] : rows.filter { value(of: $0, field) { $0.isMissing } }
        return (isAscending ? ranked : ranked.reversed()) + rest
    }

    private func value<Result>(
        of row: MemoryModel.Row, _ field: Int, _ body: (ModelValue) -> Result
    ) -> Result { model.withValues(row) { body($0[field]) } }

    /// Returns the order of a value to the text of a bound.
    private func bound(_ given: String, of field: Int, for value: ModelValue) -> ModelValue.Order? {
        withOperand(of: field, given: given) { $0.flatMap { value.order(to: $0) } }
    }

    private func passes(_ row: MemoryModel.Row, field name: String, given: String) -> Bool {
        guard let field = fields.firstIndex(where: { $0.name == name }) else { return false }
        return withOperand(of: field, given: given) { wanted in
            guard let wanted else { return false }
            return value(of: row, field) { have in
                if case .list(let list) = have { return (0..<list.count).contains { list[$0].isSame(as: wanted) } }
                return have.isSame(as: wanted)
            }
        }
    }

    /// Calls `body` with the text of an option as a value of a field; nil where it is none.
    private func withOperand<Result>(of field: Int, given: String, _ body: (ModelValue?) -> Result) -> Result {
        Array(given.utf8).withUnsafeBytes { text in
            switch fields[field].type.scalar {
            case .text: return body(.text(text))
            case .boolean: return body(["true": .boolean(true), "false": .boolean(false)][given])
            case .time: return body(Instant(model: text).map { .time($0) })
            case .number:
                if case .number(let number) = ModelNumber.read(text) { return body(.number(number)) }
                return body(nil)
            }
        }
    }
}

extension ModelValue {
    /// The part of the value that lists are sorted by.
    fileprivate var sorted: ModelValue {
        if case .text(let text) = self { .text(UnsafeRawBufferPointer(rebasing: text.prefix(200))) } else { self }
    }
}
