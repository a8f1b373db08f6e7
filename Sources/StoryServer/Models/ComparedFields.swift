import StoryCore
import StoryFold

/// A comparison of stored rows of two definitions of a model by the names of their fields.
struct ComparedFields {
    /// The rows of one definition.
    struct Side {
        let fields: [ModelField]
        let layout: UnsafePointer<RowLayout>
        let rows: ModelRows

        init(_ definition: CompiledDefinition) {
            fields = definition.definition.fields
            layout = definition.schema.layoutPointer
            rows = ModelRows(definition.schema)
        }

        /// Calls `body` with the values of a stored row; nil for bytes that are none.
        func withValues<Result>(
            _ bytes: UnsafeRawBufferPointer, _ body: (UnsafePointer<ModelValue>) -> Result
        ) -> Result? {
            guard let row = RowView(layout, bytes) else { return nil }
            return withUnsafeTemporaryAllocation(of: ModelValue.self, capacity: fields.count) { values in
                guard let start = values.baseAddress else { return nil }
                values.initialize(repeating: .missing)
                rows.read(row, into: start)
                return body(start)
            }
        }

        /// Returns a stored row as JSON, without absent fields.
        func json(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
            withValues(bytes) { values in
                var json: [UInt8] = [0x7B]
                for (number, field) in fields.enumerated() where !values[number].isMissing {
                    json += "\(json.count > 1 ? "," : "")\"\(field.name)\":".utf8
                    values[number].appendJSON(to: &json)
                }
                return json + [0x7D]
            }
        }
    }

    let before: Side?
    let after: Side
    /// The numbers of the fields of a name, before and after; nil where a definition has none.
    private let pairs: [(before: Int?, after: Int?)]

    /// Creates a comparison; without a definition before, no row is the same.
    init(_ old: CompiledDefinition?, _ new: CompiledDefinition) {
        let (before, after) = (old.map { Side($0) }, Side(new))
        let names = before?.fields.map(\.name) ?? []
        pairs =
            names.enumerated().map { number, name in (number, after.fields.firstIndex { $0.name == name }) }
            + after.fields.enumerated().filter { !names.contains($0.element.name) }.map { (nil, $0.offset) }
        (self.before, self.after) = (before, after)
    }

    /// Returns true where no field of two stored rows differs.
    func areSame(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) -> Bool {
        before?.withValues(old) { old in
            after.withValues(new) { new in
                pairs.allSatisfy { pair in
                    let old = pair.before.map { old[$0] } ?? .missing
                    let new = pair.after.map { new[$0] } ?? .missing
                    return ComparedFields.json(old) == ComparedFields.json(new)
                }
            } ?? false
        } ?? false
    }

    private static func json(_ value: ModelValue) -> [UInt8] {
        var bytes: [UInt8] = []
        value.appendJSON(to: &bytes)
        return bytes
    }
}
