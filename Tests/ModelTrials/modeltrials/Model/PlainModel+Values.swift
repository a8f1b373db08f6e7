/// Values of expressions.
extension PlainModel {
    func noteKey(_ key: Expression?, _ names: [Fields]) -> [UInt8]? {
        guard let key else { return Array((Planted.is(.notesAreOfCategories) ? event.category : event.stream).utf8) }
        return value(key, names).key(PlainLimits.part)
    }

    func value(_ expression: Expression, _ names: [Fields]) -> PlainValue {
        switch expression {
        case .literal(let literal): return literal
        case .none: return .no(.none)
        case .data: return event.data.lifted
        case .meta: return (event.meta ?? .null).lifted
        case .event(let name):
            if name == "id", Planted.is(.idsAreShort) {
                return .text(String(event.stream.split(separator: "-").last ?? ""))
            }
            return event.attribute(name)
        case .note(let key, let name):
            return noteKey(key, names).flatMap { note($0)[name] } ?? .no(.missing)
        case .name(let name): return named(name, names)
        case .member(let box, let name):
            let box = value(box, names)
            if let missing = PlainModel.bad(box) { return missing }
            guard case .map = box else { return .no(.missing) }
            return PlainModel.inside(box, .text(name))
        case .element(let box, let key): return PlainModel.inside(value(box, names), value(key, names))
        case .call(let name, let values): return PlainFunctions.call(name, values.map { value($0, names) })
        case .negative(let number):
            let number = value(number, names)
            if let missing = PlainModel.bad(number) { return missing }
            if case .number(let number) = number { return .number(-number) }
            return .no(.wrongType)
        case .not(let condition): return .boolean(!value(condition, names).isTrue)
        case .choose(let condition, let yes, let no): return value(value(condition, names).isTrue ? yes : no, names)
        case .isOneOf(let given, let among):
            let given = value(given, names)
            return .boolean(among.contains { PlainValue.order(given, value($0, names)) == 0 })
        case .isNone(let other, let isEqual):
            let isNone = other.map { value($0, names).reason != nil } ?? (row == nil)
            return .boolean(isNone == isEqual)
        case .operation(let mark, let left, let right): return operation(mark, left, right, names)
        }
    }

    private func named(_ name: String, _ names: [Fields]) -> PlainValue {
        for scope in names.reversed() { if let value = scope[name] { return value } }
        return ((row ?? (Planted.is(.namesAreForgotten) ? [:] : start))[name] ?? .null).lifted
    }

    private func operation(
        _ mark: String, _ left: Expression, _ right: Expression, _ names: [Fields]
    ) -> PlainValue {
        let first = value(left, names)
        switch mark {
        case "??": return first.reason == nil ? first : value(right, names)
        case "&&": return .boolean(first.isTrue && value(right, names).isTrue)
        case "||": return .boolean(first.isTrue || value(right, names).isTrue)
        case "in": return .boolean(PlainModel.isFound(first, in: value(right, names)))
        case "+", "-", "*", "/": return PlainFunctions.arithmetic(mark, first, value(right, names))
        default: break
        }
        let order = PlainValue.order(first, value(right, names))
        return switch mark {
        case "==": .boolean(order == 0)
        case "!=": .boolean(order != 0)
        case "<": .boolean(order == -1)
        case "<=": .boolean(order == -1 || order == 0)
        case ">": .boolean(order == 1)
        default: .boolean(order == 1 || order == 0)
        }
    }

    private static func isFound(_ value: PlainValue, in box: PlainValue) -> Bool {
        switch box {
        case .map(let members):
            if Planted.is(.textsAreFoundInMaps), case .text = value {
            } else if Planted.is(.textsAreFoundInMaps) {
                return false
            }
            guard case .text(let key) = value.asText else { return false }
            return members.contains { $0.key == key }
        case .list(let elements):
            return elements.count <= PlainLimits.look && elements.contains { PlainValue.order(value, $0) == 0 }
        default: return false
        }
    }

    /// The reason of the first value that is none; `none` counts as missing there.
    static func bad(_ values: PlainValue...) -> PlainValue? { bad(values) }

    static func bad(_ values: [PlainValue]) -> PlainValue? {
        values.lazy.compactMap(\.reason).first.map { .no($0 == .none ? .missing : $0) }
    }

    /// An element of an array, or a member of an object.
    static func inside(_ box: PlainValue, _ key: PlainValue) -> PlainValue {
        if let missing = bad(box, key) { return missing }
        switch (box, key) {
        case (.list(let elements), .number(let number)):
            guard let index = number.index, elements.indices.contains(index) else { return .no(.missing) }
            return elements[index].lifted
        case (.list, _), (_, .list), (_, .map): return .no(.wrongType)
        case (.map(let members), _):
            guard case .text(let key) = key.asText else { return .no(.missing) }
            return (members.first { $0.key == key }?.value ?? .null).lifted
        default: return .no(.missing)
        }
    }
}
