/// A table of the read models: its identity on disk, its name there, and the model that it belongs to.
///
/// A model is the set of tables with its name: they are folded, counted, compared and discarded together.
package struct ModelTable: Hashable, Sendable {
    /// The table's identity in digests and checkpoints; its meaning never changes.
    package let number: UInt8
    /// The name of its ordered map.
    package let name: String
    /// The model's name: `stories`.
    package let model: String
    /// True when the table has only keys, many of which are stored in one value.
    package let isSet: Bool

    /// Creates a table.
    package init(_ number: UInt8, _ name: String, of model: String, isSet: Bool = false) {
        self.number = number
        self.name = name
        self.model = model
        self.isSet = isSet
    }
}
