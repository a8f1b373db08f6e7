import StoryClient

// Keys in a list.
extension ListState {
    mutating func press(_ key: Key, _ surroundings: Surroundings) -> Step<Kind> {
        switch key {
        case .up, .character("k"): return move(by: -1)
        case .down, .character("j"): return move(by: 1)
        case .pageUp: return move(by: -max(1, surroundings.height - 1))
        case .pageDown, .character(" "): return move(by: max(1, surroundings.height - 1))
        case .home, .character("g"): return begin()
        case .end, .character("G"): return move(by: window.rows.count)
        case .enter: return selection.map { .ask(.show(Coordinator<Kind>.page($0.id))) } ?? .nothing
        case .character("s"): return sort()
        case .character("S"):
            query.order = query.order == .ascending ? .descending : .ascending
            return restart()
        case .character("/"): return fill(.filter, nil, surroundings)
        case .character("n"): return fill(.new, selection, surroundings)
        case .character(let character):
            if let turn = Kind.turn(of: query.filter), turn.key == character {
                query.filter = turn.filter
                return restart()
            }
            guard let selection else { return .nothing }
            return RowKeys<Kind>.press(character, selection, query.filter, surroundings.user)
        case .escape, .backspace, .delete, .tab, .backTab, .left, .right, .control, .unreadable:
            return .nothing
        }
    }

    /// The keys of the list and their actions; a list that is one of two has the key of the other.
    var hints: [(key: String, does: String)] {
        let turn = Kind.turn(of: query.filter).map { [(String($0.key), $0.name)] }
        return [("↑↓", "move"), ("Enter", "open"), ("/", "filter")] + (turn ?? [("s", "sort"), ("S", "reverse")])
            + [("n", "new")] + Kind.keys.map { (String($0.key), $0.name) }
    }

    private mutating func move(by count: Int) -> Step<Kind> {
        selected = max(0, min(selected + count, window.rows.count - 1))
        if let selection { arrived.remove(selection.id) }
        return wanted()
    }

    private mutating func begin() -> Step<Kind> {
        if window.hasMoreAbove { return restart() }
        return move(by: -window.rows.count)
    }

    private mutating func sort() -> Step<Kind> {
        let sorts = Array(Content.Sort.allCases)
        let index = sorts.firstIndex(of: query.sort) ?? 0
        query.sort = sorts[(index + 1) % sorts.count]
        query.order = Kind.order(of: query.sort)
        return restart()
    }

    private func fill(_ purpose: FormPurpose, _ content: Content?, _ surroundings: Surroundings) -> Step<Kind> {
        FormState<Kind>(purpose, of: content, in: query.filter, by: surroundings.user).map { .ask(.show(.form($0))) }
            ?? .nothing
    }
}

/// Actions of the keys of a kind's rows, in a list and on a page.
enum RowKeys<Kind: BrowsedKind> {
    static func press(
        _ character: Character, _ content: Kind.Content, _ filter: Kind.Content.Filter, _ user: String?
    ) -> Step<Kind> {
        if character == "e" {
            return show(.edit(id: content.id, version: content.version), content, filter, user)
        }
        guard let key = Kind.keys.first(where: { $0.key == character }) else { return .nothing }
        switch key.meaning {
        case .open(let destination): return destination(content).map { .ask(.open($0)) } ?? .nothing
        case .act(let action):
            switch action(content, user) {
            case .write(let name): return .command(.write(name, id: content.id, user: user))
            case .fill(let name): return show(.act(name, id: content.id), content, filter, user)
            case .delete: return show(.delete(id: content.id, version: content.version), content, filter, user)
            case nil: return .nothing
            }
        }
    }

    private static func show(
        _ purpose: FormPurpose, _ content: Kind.Content, _ filter: Kind.Content.Filter, _ user: String?
    ) -> Step<Kind> {
        FormState<Kind>(purpose, of: content, in: filter, by: user).map { .ask(.show(.form($0))) } ?? .nothing
    }
}
