import TestSupport

/// Parts of definitions that few of them would have by chance.
extension DefinitionMaker {
    /// Adds fields that take the value of some operator or function, and never do not fit, and shapes that reach limits.
    mutating func addProbes(to tree: inout Tree, _ habit: JSONMaker.Habit) {
        let probes: [(name: String, kind: Kind, type: PlainType)] = [
            ("probed_n", .number, PlainType(.number)), ("probed_t", .text, PlainType(.text, bytes: 10_240)),
            ("probed_b", .boolean, PlainType(.boolean)), ("probed_w", .time, PlainType(.time)),
        ]
        var body: [Statement] = []
        for probe in probes where random.oneIn(2) {
            tree.fields.append(Tree.Field(name: probe.name, type: probe.type, isOptional: true, start: nil))
            let value = Expression.operation("??", value(probe.kind, 3), .none)
            body.append(Statement(.set(.field(probe.name), "=", value)))
        }
        switch habit {
        case .usual, .edges: break
        case .longLists: body.append(rowsOfElements(&tree))
        case .longTexts: body += longTexts(&tree)
        }
        let types = tree.rules[0].types
        tree.rules[0] = Tree.Rule(types: types, body: body + (random.oneIn(2) ? tree.rules[0].body : []))
    }

    /// A row for each element of a list.
    private mutating func rowsOfElements(_ tree: inout Tree) -> Statement {
        tree.fields.append(Tree.Field(name: "rounds", type: PlainType(.number), isOptional: false, start: nil))
        let count = Statement(.set(.field("rounds"), "+=", .name("round_i")))
        let row = Statement(.row([.operation("??", .member(.name("round_x"), "k"), .name("round_x"))], [count]))
        return Statement(.each(["round_i", "round_x"], .member(.data, random.pick("l", "s")), [row]))
    }

    /// Keys and records near their limits, and long texts to sort by.
    private mutating func longTexts(_ tree: inout Tree) -> [Statement] {
        let names = ["long_t", "long_k", "long_o"]
        tree.fields += names.map {
            Tree.Field(name: $0, type: PlainType(.text, bytes: 10_240), isOptional: true, start: nil)
        }
        tree.sorts = random.oneIn(2) ? ["long_t"] : tree.sorts + ["long_t"]
        tree.key = random.pick(
            [.member(.data, "t"), .member(.data, "k")], [.event("position")], [.event("position")], nil)
        return zip(names, ["t", "k", "odd name"]).map { name, path in
            Statement(.set(.field(name), "=", .operation("??", .member(.data, path), .none)))
        }
    }
}
