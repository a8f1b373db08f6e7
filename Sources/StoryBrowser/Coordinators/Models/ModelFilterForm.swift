import StoryClient

import struct FoundationEssentials.Date

// The form of the filter.
extension ModelRows {
    /// The names of the bounds' fields in the form, before a dot and the sort.
    private static let bounds = ["since", "until"]

    func filter(_ filter: ModelFilter, sortedBy sort: ModelSort) -> ModelFilter {
        guard filter.bounds?.sort != sort.rawValue else { return filter }
        var filter = filter
        let isField = model?.fields.contains { $0.name == sort.rawValue } == true
        filter.bounds = isField ? ModelFilter.Bounds(sort: sort.rawValue) : nil
        return filter
    }

    func draft(of filter: ModelFilter) -> Draft? {
        guard let model, !model.filters.isEmpty else { return nil }
        let draft = model.filters.reduce(Draft("filter \(title)")) { draft, name in
            draft.with(name, "\(name) (\(type(of: name)))", filter.values[name] ?? "")
        }
        // A list in another order than that of a field may get the bounds of any sort, and that order with them.
        let sorts = filter.bounds.map { [$0.sort] } ?? model.sorts
        return sorts.filter { ["time", "number"].contains(type(of: $0)) }.reduce(draft) { draft, sort in
            zip(ModelRows.bounds, [filter.bounds?.since, filter.bounds?.until]).reduce(draft) { draft, bound in
                draft.with("\(bound.0).\(sort)", "\(sort) \(bound.0)", bound.1 ?? "")
            }
        }
    }

    func sort(_ sort: ModelSort, of filter: ModelFilter) -> ModelSort {
        filter.bounds.map { ModelSort(rawValue: $0.sort) } ?? sort
    }

    /// Returns a number as it was typed; nil for another text.
    private static func number(_ text: String) -> String? {
        text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/) == nil ? nil : text
    }

    private func type(of field: String) -> String { model?.fields.first { $0.name == field }?.type ?? "" }

    func filter(_ draft: Draft, now: Date) throws -> ModelFilter {
        try draft.read { reader in
            var filter = ModelFilter()
            for field in draft.fields {
                let parts = field.name.split(separator: ".").map(String.init)
                let value: String? =
                    switch type(of: parts.last ?? "") {
                    case "time": reader.moment(field.name, now).map(Moments.written)
                    case "number": reader.value(field.name, "a number, such as 1.4", ModelRows.number)
                    case "boolean": reader.value(field.name, "yes or no", TypedFlag.read).map { "\($0)" }
                    default: draft.optional(field.name)
                    }
                guard parts.count == 2 else {
                    filter.values[field.name] = value
                    continue
                }
                guard value != nil else { continue }
                var bounds = filter.bounds ?? ModelFilter.Bounds(sort: parts[1])
                guard bounds.sort == parts[1] else {
                    reader.refuse(field.name, "cannot be bounded beside \(bounds.sort): a list has one order")
                    continue
                }
                if parts[0] == "since" { bounds.since = value } else { bounds.until = value }
                filter.bounds = bounds
            }
            return filter
        }
    }
}
