package import StoryCore

/// The names of the parts that a request line had, without their values: the program's own names, never the client's
/// text.
package struct GivenNames: Equatable, Sendable {
    /// The kind of the target; nil if it has none.
    package let kind: Kind?
    /// A bit for each option, by its number.
    package let optionBits: UInt32
    /// A bit for each of the first 64 filters of the kind, by its number.
    package let filterBits: UInt64

    /// Creates a set of names.
    package init(kind: Kind? = nil, optionBits: UInt32 = 0, filterBits: UInt64 = 0) {
        (self.kind, self.optionBits, self.filterBits) = (kind, optionBits, filterBits)
    }
}

extension GivenNames {
    /// Returns the name of the target's kind, or `events`; nil if it is neither, or a kind that the catalogue lacks.
    package func target(of verb: Verb, in catalogue: Catalogue) -> String? {
        if let kind { return catalogue.schema(of: kind)?.name }
        return [.read, .count, .subscribe].contains(verb) ? "events" : nil
    }

    /// Returns the options and filters, separated by commas; nil if there are none.
    package func options(in catalogue: Catalogue) -> String? {
        let options = OptionName.allCases.filter { optionBits & $0.bit != 0 }.map(\.name)
        let filters = kind.flatMap { catalogue.schema(of: $0) }?.filters.map(\.name) ?? []
        let given = filters.prefix(64).enumerated().filter { filterBits & 1 << UInt64($0.offset) != 0 }.map(\.element)
        let all = given + options
        return all.isEmpty ? nil : all.joined(separator: ",")
    }
}
