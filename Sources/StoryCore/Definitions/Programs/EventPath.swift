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
}
