import StoryCore

/// The rows behind one part of an index, checked against the filters that it does not see to.
enum Candidates {
    /// Nil when the part has more than `limit` entries.
    static func rows<P: Projection>(
        _ projection: P.Type, _ path: ListPlan.Path, atMost limit: Int, in store: any ModelStore
    ) -> [P.Row]? {
        var numbers: [StreamNumber] = []
        store.scan(path.index.table, KeyRange(prefix: path.prefix), .ascending) { key, _ in
            if let number = KeyReader.lastNumber(key) { numbers.append(number) }
            return numbers.count <= limit
        }
        guard numbers.count <= limit else { return nil }
        return numbers.compactMap { Rows.row(P.self, $0, in: store) }
            .filter { row in path.rest.allSatisfy { P.matches(row, $0) } }
    }
}
