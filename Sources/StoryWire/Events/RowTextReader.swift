package import StoryCore

/// The change that an event makes to the searched texts of its row.
package struct RowTextChange: Equatable, Sendable {
    /// The effect on the row as a whole.
    package let effect: EventSchema.Effect
    /// The texts that it gives, by the index of their field; none of an event whose data was erased.
    package let texts: [Int: [UInt8]]
}

/// A reader of the searched texts in the events of a kind.
package final class RowTextReader {
    private let schema: KindSchema
    /// The indexes of the fields whose words are searched.
    package let fields: [Int]
    private let json = JSONObjectReader()

    /// Creates a reader of a kind's events.
    package init(_ schema: KindSchema) {
        self.schema = schema
        fields = schema.searchedFields
    }

    /// Returns the change of an event; nil for a type that changes no row of the kind.
    package func change(_ record: EventRecord) -> RowTextChange? {
        let type = record.json.slice(record.type.lowerBound, count: record.type.count)
        guard let event = schema.events.first(where: { type.equals(text: $0.type) }) else { return nil }
        var texts: [Int: [UInt8]] = [:]
        let wanted = event.changes.filter { fields.contains($0.field) }
        guard !wanted.isEmpty else { return RowTextChange(effect: event.effect, texts: [:]) }
        record.withData(json) { members in
            for member in members {
                guard case .string(let text) = member.value,
                    let change = wanted.first(where: { $0.member.map(member.name.equals(text:)) == true })
                else { continue }
                texts[change.field] = [UInt8](text)
            }
        }
        return RowTextChange(effect: event.effect, texts: texts)
    }
}
