import StoryClient

import struct FoundationEssentials.Date

/// A filter of the rows of a model: values of its filters, and bounds of a field.
struct ModelFilter: BrowsedFilter {
    /// The bounds of a field.
    struct Bounds: Hashable, Sendable {
        /// The field: that which the list is sorted by, unless the description names one.
        let sort: String
        /// The least value; nil if there is none.
        var since: String?
        /// The value that all are below; nil if there is none.
        var until: String?
    }

    var values: [String: String] = [:]
    /// The bounds; nil for a list in another order than that of a field.
    var bounds: Bounds?

    var options: [(name: String, value: String?)] {
        values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            + [("since", bounds?.since), ("until", bounds?.until)]
    }
}

// The form of the filter.
extension ModelRows {
    /// The names of the bounds' fields in the form, before a dot and the field.
    private static let bounds = ["since", "until"]

    func references(in option: (name: String, value: String)) -> [Reference] {
        guard let kind = field(option.name)?.kind else { return [] }
        return option.value.split(separator: ",").map { Reference(kind: kind, id: String($0)) }
    }

    func filter(_ filter: ModelFilter, sortedBy sort: ModelSort) -> ModelFilter {
        guard model?.bounds == nil, filter.bounds?.sort != sort.rawValue else { return filter }
        var filter = filter
        let isField = model?.fields.contains { $0.name == sort.rawValue } == true
        filter.bounds = isField ? ModelFilter.Bounds(sort: sort.rawValue) : nil
        return filter
    }

    func draft(of filter: ModelFilter) -> Draft? {
        guard let model, !model.filters.isEmpty else { return nil }
        let draft = model.filters.compactMap(field).reduce(Draft("filter \(title)")) { draft, field in
            draft.with(field.name, field.formLabel, filter.values[field.name] ?? "", field.meaning)
        }
        if let bounded = model.bounds {
            return zip(ModelRows.bounds, [filter.bounds?.since, filter.bounds?.until]).reduce(draft) { draft, bound in
                draft.with("\(bound.0).\(bounded)", "\(bound.0) (\(bounded))", bound.1 ?? "")
            }
        }
        // A list in another order than that of a field may get the bounds of any sort, and that order with them.
        let sorts = filter.bounds.map { [$0.sort] } ?? model.sorts
        return sorts.filter { ["time", "number"].contains(field($0)?.type) }.reduce(draft) { draft, sort in
            zip(ModelRows.bounds, [filter.bounds?.since, filter.bounds?.until]).reduce(draft) { draft, bound in
                draft.with("\(bound.0).\(sort)", "\(sort) \(bound.0)", bound.1 ?? "")
            }
        }
    }

    func sort(_ sort: ModelSort, of filter: ModelFilter) -> ModelSort {
        guard model?.bounds == nil else { return sort }
        return filter.bounds.map { ModelSort(rawValue: $0.sort) } ?? sort
    }

    /// Returns the field or computed filter with a name.
    private func field(_ name: String) -> ModelDescription.Field? {
        model?.fields.first { $0.name == name } ?? model?.computed.first { $0.name == name }
    }

    func filter(_ draft: Draft, now: Date) throws -> ModelFilter {
        try draft.read { reader in
            var filter = ModelFilter()
            for typed in draft.fields {
                let parts = typed.name.split(separator: ".").map(String.init)
                let value = field(parts.last ?? "").flatMap { $0.filterValue(of: typed.name, &reader, now) }
                guard parts.count == 2 else {
                    filter.values[typed.name] = value
                    continue
                }
                guard value != nil else { continue }
                var bounds = filter.bounds ?? ModelFilter.Bounds(sort: parts[1])
                guard bounds.sort == parts[1] else {
                    reader.refuse(typed.name, "cannot be bounded beside \(bounds.sort): a list has one order")
                    continue
                }
                if parts[0] == "since" { bounds.since = value } else { bounds.until = value }
                filter.bounds = bounds
            }
            return filter
        }
    }
}

// Fields in forms.
extension ModelDescription.Field {
    /// The meaning of its text in a form.
    var meaning: DraftField.Meaning {
        guard let kind else { return .text }
        return type == "pair" ? .twoRows(kind) : .row(kind)
    }

    /// The label in a form, with a hint at the values.
    var formLabel: String { hint.map { "\(label) (\($0))" } ?? label }

    private var hint: String? {
        switch type {
        case "id": category.map { "\($0) ID" }
        case "pair": "ID,ID"
        case "fraction": "1/125"
        case "choice": choices.joined(separator: ", ")
        case "boolean": "yes, no"
        case "integer", "number":
            limits.map { $0.lower < 0 ? "−\($0.lower.magnitude)…\($0.upper)" : "\($0.lower)–\($0.upper)" } ?? unit
                ?? (label == name ? type : nil)
        case "email": nil
        case let type where type.hasPrefix("text"): nil
        default: type
        }
    }

    /// Returns the value of a filter that was typed; nil if there is none or it is invalid.
    fileprivate func filterValue(of name: String, _ reader: inout DraftReader, _ now: Date) -> String? {
        switch type {
        case "time": reader.moment(name, now).map(Moments.written)
        case "number", "integer": reader.value(name, "a number, such as 1.4", ModelDescription.Field.number)
        case "boolean": reader.value(name, "yes or no", TypedFlag.read).map { "\($0)" }
        case "id": reader.id(name)
        case "pair": reader.value(name, "two IDs with a comma between them", ModelDescription.Field.pair)
        default: reader.draft.optional(name)
        }
    }

    /// Returns a number as it was typed; nil for another text.
    private static func number(_ text: String) -> String? {
        text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/) == nil ? nil : text
    }

    private static func pair(_ text: String) -> String? {
        let ids = text.split(separator: ",", omittingEmptySubsequences: false)
        return ids.count == 2 && ids.allSatisfy { ContentID($0) != nil } ? text : nil
    }

    /// Returns a typed value of a form as JSON; nil if it is none, which the reader notes.
    func json(_ reader: inout DraftReader) -> String? {
        switch type {
        case "number", "integer": reader.value(name, "a number", ModelDescription.Field.finite)
        case "boolean": reader.value(name, "yes or no", TypedFlag.read).map { "\($0)" }
        case "choice": reader.value(name, "one of \(choices.joined(separator: ", "))", choice).map(JSONText.quoted)
        default: JSONText.quoted(reader.draft.named(name)?.text ?? "")
        }
    }

    private func choice(_ text: String) -> String? { choices.contains(text) ? text : nil }

    /// Returns a number that JSON can represent.
    private static func finite(_ text: String) -> String? {
        guard let number = Double(text), number.isFinite else { return nil }
        return Int(exactly: number).map(String.init) ?? "\(number)"
    }
}
