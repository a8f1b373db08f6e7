/// The names of a store that a word may be completed with.
package struct WantedNames: Equatable, Sendable {
    /// The source of the names.
    package enum Source: Equatable, Sendable {
        /// The IDs of the rows whose streams have this category.
        case rows(category: String)
        /// The names of streams, and before their dash their categories.
        ///
        /// - Parameter areOfUsers: true to exclude the streams of the store's own kinds.
        case streams(areOfUsers: Bool)
        /// The categories of streams.
        case categories
        /// The declared models.
        case models
        /// The filters of a declared model.
        case filters(of: String)
        /// The sorts of a declared model.
        case sorts(of: String)
        /// The IDs of a declared model's rows.
        case ids(of: String)
        /// The values that a field of a declared model's rows has.
        case values(of: String, model: String)
        /// The types of the events that a target of `READ` selects.
        case types(of: String)
        /// The nodes of the log.
        case nodes
    }

    /// The source of the names.
    package let source: Source
    /// The part of the word before the name: `stories/`.
    package let lead: String
    /// The beginning of the name.
    package let beginning: String
    /// The text behind the name: the quotation mark that ends a string.
    package let tail: String

    /// Creates a description of names.
    package init(_ source: Source, lead: String = "", beginning: String, tail: String = "") {
        (self.source, self.lead, self.beginning, self.tail) = (source, lead, beginning, tail)
    }
}
