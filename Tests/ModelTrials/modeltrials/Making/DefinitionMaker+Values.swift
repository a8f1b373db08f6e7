import TestSupport

/// Values of a kind: a value of any kind stands for each of them.
extension DefinitionMaker {
    /// The kind of a value as the language knows it; nil: any.
    func kind(of value: Expression) -> Kind? {
        switch value {
        case .literal(.number), .negative: .number
        case .literal(.text): .text
        case .literal(.boolean), .not, .isOneOf, .isNone: .boolean
        case .operation(let mark, let left, let right): kind(mark, left, right)
        case .name(let name): kind(named: name)
        case .event("time"): .time
        case .event("by"), .event("position"), .event("version"): .number
        case .event("tags"): .list
        case .event: .text
        case .note(_, let name): notes.first { $0.name == name }.map { Kind($0.type.scalar) }
        case .element(.name(let name), _):
            fields.first { $0.name == name }.flatMap { $0.type.collection == nil ? nil : Kind($0.type.scalar) }
        case .call(let name, let values): kind(call: name, values)
        case .choose(_, let yes, let no): joined(yes, no)
        case .literal, .none, .data, .meta, .member, .element: nil
        }
    }

    private func kind(named name: String) -> Kind? {
        if let bound = scope.last(where: { $0.name == name }) { return bound.kind }
        guard let field = fields.first(where: { $0.name == name }) else { return nil }
        return field.type.isMap ? .map : field.type.collection != nil ? .list : Kind(field.type.scalar)
    }

    private func kind(_ mark: String, _ left: Expression, _ right: Expression) -> Kind? {
        switch mark {
        case "-", "*", "/": return .number
        case "+":
            let (one, other) = (kind(of: left), kind(of: right))
            return one == .number || one == .text ? one : other == .number || other == .text ? other : nil
        case "??":
            if case .none = right { return kind(of: left) }
            return joined(left, right)
        default: return .boolean
        }
    }

    private func joined(_ left: Expression, _ right: Expression) -> Kind? {
        if case .none = left { return kind(of: right) }
        if case .none = right { return kind(of: left) }
        let (one, other) = (kind(of: left), kind(of: right))
        return one == other ? one : nil
    }

    private func kind(call name: String, _ values: [Expression]) -> Kind? {
        switch name {
        case "lower", "upper", "prefix", "text", "year", "month", "day", "hour": return .text
        case "min", "max":
            let kinds = values.map { kind(of: $0) }
            if kinds.contains(nil) { return nil }
            return kinds.contains(.time) ? .time : kinds[0]
        default: return .number
        }
    }

    /// A value without operators.
    mutating func leaf(_ kind: Kind?) -> Expression {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return literal(kind ?? .text) ?? path(kind)
        case 2, 3: return stored(kind) ?? path(kind)
        case 4: return ofEvent(kind ?? .text) ?? path(kind)
        default: return path(kind)
        }
    }

    /// A value of the event whose kind only the event knows.
    private mutating func path(_ kind: Kind?) -> Expression {
        if random.oneIn(3),
            let bound = scope.filter({ $0.kind == nil || $0.kind == kind }).randomElement(using: &random)
        {
            let name = Expression.name(bound.name)
            guard bound.kind == nil, random.oneIn(2) else { return name }
            return .member(name, random.pick("k", "n"))
        }
        let root = random.oneIn(15) ? Expression.meta : .data
        if random.oneIn(20) { return .member(root, pick(JSONMaker.names)) }
        switch kind {
        case .number: return random.pick(.member(root, "n"), .member(root, "p"), .member(.member(root, "o"), "n"))
        case .time: return .member(root, "w")
        case .boolean: return .member(root, "b")
        case .list: return random.pick(.member(root, "l"), .member(root, "s"), .member(.member(root, "o"), "l"))
        case .map: return random.pick(.member(root, "m"), .member(root, "o"))
        case .text, nil:
            return random.pick(
                .member(root, "k"), .member(root, "t"), .member(root, "k"), .member(.member(root, "o"), "t"),
                .member(root, "odd name"), .element(.member(root, "l"), .literal(.whole(0))))
        }
    }

    private mutating func literal(_ kind: Kind) -> Expression? {
        switch kind {
        case .text: .literal(.text(random.pick("a", "b", "", "open", "é'\n", "c1", "x/y")))
        case .number: .literal(.number(JSONMaker.numberLiteral(&random)))
        case .boolean: .literal(.boolean(random.oneIn(2)))
        case .time, .list, .map: nil
        }
    }

    /// A field, an element of one, or a note.
    private mutating func stored(_ kind: Kind?) -> Expression? {
        var found: [Expression] = []
        if isRowSeen {
            for field in fields {
                let scalar = Kind(field.type.scalar)
                if self.kind(named: field.name) == kind || kind == nil { found.append(.name(field.name)) }
                guard scalar == kind, field.type.collection != nil else { continue }
                let key = field.type.isMap ? Expression.member(.data, "k") : .literal(.whole(random.pick(0, 1, 2)))
                found.append(.element(.name(field.name), key))
            }
        }
        for note in notes where Kind(note.type.scalar) == kind || kind == nil {
            found.append(.note(key: random.oneIn(4) ? .member(.data, "k") : nil, note.name))
        }
        return found.randomElement(using: &random)
    }

    private mutating func ofEvent(_ kind: Kind) -> Expression? {
        switch kind {
        case .text: .event(random.pick("id", "stream", "category", "type"))
        case .number: .event(random.pick("by", "position", "version"))
        case .time: .event("time")
        case .list: .event("tags")
        case .boolean, .map: nil
        }
    }

    /// A value of a kind, at most so deep.
    mutating func value(_ kind: Kind?, _ depth: Int) -> Expression {
        guard depth > 0, !random.oneIn(3) else { return leaf(kind) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .operation("??", value(kind, depth - 1), value(kind, depth - 1))
        case 1 where random.oneIn(2):
            return .choose(value(.boolean, depth - 1), value(kind, depth - 1), value(kind, depth - 1))
        default: break
        }
        switch kind {
        case .number: return number(depth - 1)
        case .text: return text(depth - 1)
        case .boolean: return condition(depth - 1)
        case .time: return .call(random.pick("min", "max"), [value(.time, depth - 1), value(.time, depth - 1)])
        case .list, .map, nil: return leaf(kind)
        }
    }

    private mutating func number(_ depth: Int) -> Expression {
        switch form(12) {
        case 0..<5: .operation(random.pick("+", "-", "*", "/"), value(.number, depth), value(.number, depth))
        case 5: .negative(value(.number, depth))
        case 6:
            random.oneIn(2)
                ? .call("round", [value(.number, depth), .literal(.whole(random.pick(0, 1, 2, 18)))])
                : .call("round", [value(.number, depth)])
        case 7: .call("count", [leaf(pick([.text, .list, .map]))])
        case 8: .call("number", [leaf(pick([.text, .number]))])
        case 10: .call("floor", [value(.number, depth)])
        case 9: .call("seconds", [value(.time, depth), value(.time, depth)])
        default:
            .call(
                random.pick("min", "max"),
                [value(.number, depth), value(.number, depth)] + (random.oneIn(3) ? [leaf(.number)] : []))
        }
    }

    private mutating func text(_ depth: Int) -> Expression {
        switch form(9) {
        case 0, 1: return .operation("+", value(.text, depth), value(.text, depth))
        case 2: return .call(random.pick("lower", "upper"), [value(.text, depth)])
        case 3: return .call("prefix", [value(.text, depth), .literal(.whole(random.pick(1, 2, 3, 32)))])
        case 4, 5: return .call("text", [value(pick([.number, .boolean, .time, .text]), depth)])
        case 6: return .call(random.pick("min", "max"), [value(.text, depth), value(.text, depth)])
        default:
            var values = [value(.time, depth)]
            if random.oneIn(2) {
                values.append(.literal(.text(random.pick("+09:00", "-03:30", "+00:00", "-23:59", "+23:59"))))
            }
            return .call(random.pick("year", "month", "day", "hour"), values)
        }
    }

    private mutating func condition(_ depth: Int) -> Expression {
        switch form(12) {
        case 0..<5:
            let kind = pick([Kind.number, .text, .time, .number, .boolean])
            let mark = random.pick("==", "!=", "<", "<=", ">", ">=")
            return .operation(mark, value(kind, depth), value(kind == .time && random.oneIn(3) ? .text : kind, depth))
        case 5: return .operation(random.pick("&&", "||"), value(.boolean, depth), value(.boolean, depth))
        case 6: return .not(value(.boolean, depth))
        case 7, 8:
            let isOfRow = isRowSeen && random.oneIn(2)
            return .isNone(isOfRow ? nil : leaf(pick([.text, .number, .time, .list])), isEqual: random.oneIn(2))
        case 9:
            let kind = pick([Kind.text, .number])
            return .isOneOf(leaf(kind), (0..<random.pick(1, 2, 3)).map { _ in leaf(kind) })
        default: return .operation("in", leaf(pick([.text, .number, .time])), leaf(random.pick(.list, .map)))
        }
    }
}
