import StoryClient

// Keys in a list.
extension ListState {
    mutating func press(_ key: Key, _ surroundings: Surroundings) -> Step {
        switch key {
        case .up, .character("k"): return move(by: -1)
        case .down, .character("j"): return move(by: 1)
        case .pageUp: return move(by: -max(1, surroundings.height - 1))
        case .pageDown, .character(" "): return move(by: max(1, surroundings.height - 1))
        case .home, .character("g"): return begin()
        case .end, .character("G"): return move(by: window.rows.count)
        case .enter:
            guard let selection else { return .nothing }
            return .ask(kind.opened(selection).map { .open($0) } ?? .show(PageState(kind, id: selection.id)))
        case .character("s"): return sort()
        case .character("S") where kind.isReversible:
            query.order = query.order == .ascending ? .descending : .ascending
            return restart()
        case .character("/"): return kind.fill(.filter, of: nil, in: query.filter, by: surroundings.user)
        case .character("n"): return kind.fill(.new, of: selection, in: query.filter, by: surroundings.user)
        case .character(let character):
            if let turn = kind.turn(of: query.filter), turn.key == character {
                query.filter = turn.filter
                return restart()
            }
            if let link = kind.links.first(where: { $0.key == character }) { return .ask(.open(link.destination)) }
            guard let selection else { return .nothing }
            return kind.press(character, on: selection, in: query.filter, by: surroundings.user)
        case .escape, .backspace, .delete, .tab, .backTab, .left, .right, .control, .alt, .pasted, .unreadable:
            return .nothing
        }
    }

    /// The keys of the list and their actions; a list that is one of two has the key of the other.
    var hints: [(key: String, does: String)] {
        var hints = [("↑↓", "move"), ("Enter", "open")] + kind.links.map { (String($0.key), $0.name) }
        if kind.hasForm(.filter) { hints.append(("/", "filter")) }
        if let turn = kind.turn(of: query.filter) {
            hints.append((String(turn.key), turn.name))
        } else {
            if kind.sorts.count > 1 { hints.append(("s", "sort")) }
            if kind.isReversible { hints.append(("S", "reverse")) }
        }
        if kind.hasForm(.new) { hints.append(("n", "new")) }
        return hints + kind.keys.map { (String($0.key), $0.name) }
    }

    private mutating func move(by count: Int) -> Step {
        selected = max(0, min(selected + count, window.rows.count - 1))
        if let selection { arrived.remove(selection.id) }
        return wanted()
    }

    private mutating func begin() -> Step {
        if window.hasMoreAbove || isHeld { return restart() }
        return move(by: -window.rows.count)
    }

    private mutating func sort() -> Step {
        let sorts = kind.sorts
        guard sorts.count > 1 else { return .nothing }
        let index = sorts.firstIndex(of: query.sort) ?? 0
        query.sort = sorts[(index + 1) % sorts.count]
        query.order = kind.order(of: query.sort)
        query.filter = kind.filter(query.filter, sortedBy: query.sort)
        return restart()
    }
}

// Actions of the keys of a kind's rows, in a list and on a page.
extension BrowsedKind {
    func press(_ character: Character, on content: Content, in filter: Filter, by user: String?) -> Step {
        if character == "e" {
            return fill(.edit(id: content.id, version: version(of: content)), of: content, in: filter, by: user)
        }
        guard let key = keys.first(where: { $0.key == character }) else { return .nothing }
        switch key.action(content, user) {
        case .open(let destination): return .ask(.open(destination))
        case .write(let name): return .command(.write(name, id: content.id, user: user), of: self)
        case .fill(let name): return fill(.act(name, id: content.id), of: content, in: filter, by: user)
        case .delete:
            return fill(.delete(id: content.id, version: version(of: content)), of: content, in: filter, by: user)
        case nil: return .nothing
        }
    }

    /// Shows the form for a purpose, if there is one.
    fileprivate func fill(
        _ purpose: FormPurpose, of content: Content?, in filter: Filter, by user: String?
    ) -> Step {
        FormState(self, purpose, of: content, in: filter, by: user).map { .ask(.show($0)) } ?? .nothing
    }
}
