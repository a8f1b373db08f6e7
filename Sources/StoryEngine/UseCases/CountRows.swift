import StoryCore
import StoryModels

/// `COUNT`: a kept count where there is one, otherwise a walk of the narrowest part of an index.
enum CountRows {
    static func count(_ kind: Kind, _ filters: [Filter], in world: World) -> Int {
        switch kind {
        case .users: count(UserProjection.self, filters, in: world.store)
        case .stories: count(StoryProjection.self, filters, in: world.store)
        case .messages: count(MessageProjection.self, filters, in: world.store)
        case .photos: count(PhotoProjection.self, filters, in: world.store)
        }
    }

    private static func count<P: Projection>(
        _ projection: P.Type, _ filters: [Filter], in store: any ModelStore
    ) -> Int {
        if let rows = Candidates.byEmail(P.self, filters, in: store) { return rows.count }
        guard let path = ListPlan.narrowest(filters, P.indexes) else { return 0 }
        if path.rest.isEmpty, path.isCounted {
            let key = CountKey.bytes(path.index.table, path.prefix)
            return Int(clamping: CountKey.count(store.value(in: P.counts, at: key)))
        }
        return walk(P.self, path, in: store)
    }

    private static func walk<P: Projection>(
        _ projection: P.Type, _ path: ListPlan.Path, in store: any ModelStore
    ) -> Int {
        var count = 0
        store.scan(path.index.table, path.range, .ascending) { key, _ in
            if path.rest.isEmpty {
                count += 1
            } else if let row = KeyReader.lastNumber(key).flatMap({ Rows.row(P.self, $0, in: store) }),
                path.rest.allSatisfy({ P.matches(row, $0) })
            {
                count += 1
            }
            return true
        }
        return count
    }
}
