/// A path into an event's data, meta or tags: `data.customer.name`. The paths of several programs can be one trie.
package struct EventPath: Hashable, Sendable {
    /// One member name of a path.
    package struct Step: Hashable, Sendable {
        /// The name of the member.
        package let name: Text
        /// True for `['name']`, which does not look into an array, where `.name` finds nothing.
        package let isBracketed: Bool
    }

    /// The part of the event in which the path begins.
    package let root: EventRoot
    /// The names, the outermost first; none for the whole of it.
    package let steps: [Step]

    /// The path of the object that the last name is a member of; nil for a whole part of the event.
    package var parent: EventPath? { steps.isEmpty ? nil : EventPath(root: root, steps: steps.dropLast()) }
    /// The path as a definition has it: `data.customer.name`.
    package var spelling: String {
        steps.reduce(root == .tags ? "event.tags" : root.rawValue) {
            $1.isBracketed ? "\($0)['\($1.name)']" : "\($0).\($1.name)"
        }
    }
}
