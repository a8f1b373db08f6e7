import StoryCore
import StoryModels

/// The few rows behind one part of an index, checked against the filters that it does not see to.
enum Candidates {
    /// The one user with the address that a filter names, or none; nil where no filter names an address.
    static func byEmail<P: Projection>(
        _ projection: P.Type, _ filters: [Filter], in store: any ModelStore
    ) -> [P.Row]? {
        for case .email(let email) in filters {
            guard let owner = EmailsModel.owner(of: email, in: store), let row = Rows.row(P.self, owner, in: store),
                P.passes(row, filters)
            else { return [] }
            return [row]
        }
        return nil
    }

    /// Nil when the part has more than `limit` entries.
    static func numbers(
        _ path: ListPlan.Path, atMost limit: Int, in store: any ModelStore
    ) -> [StreamNumber]? {
        var numbers: [StreamNumber] = []
        store.walk(path.index.table, path.range, .ascending) { key, _ in
            if let number = KeyReader.lastNumber(key) { numbers.append(number) }
            return numbers.count <= limit
        }
        return numbers.count <= limit ? numbers : nil
    }
}
