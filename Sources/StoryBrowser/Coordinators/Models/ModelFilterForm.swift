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
        guard let bounds = filter.bounds, ["time", "number"].contains(type(of: bounds.sort)) else { return draft }
        return zip(ModelRows.bounds, [bounds.since, bounds.until]).reduce(draft) { draft, bound in
            draft.with("\(bound.0).\(bounds.sort)", "\(bounds.sort) \(bound.0)", bound.1 ?? "")
        }
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
                    case "boolean": reader.value(field.name, "yes or no", TypedFlag.read).map { "\($0)" }
                    default: draft.optional(field.name)
                    }
                guard parts.count == 2 else {
                    filter.values[field.name] = value
                    continue
                }
                var bounds = filter.bounds ?? ModelFilter.Bounds(sort: parts[1])
                if parts[0] == "since" { bounds.since = value } else { bounds.until = value }
                filter.bounds = bounds
            }
            return filter
        }
    }
}
