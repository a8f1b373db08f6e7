extension ModelFieldType {
    /// Returns the value of a field after `=`, `+=` or `-=`.
    ///
    /// - Throws: the rule that the value breaks.
    func combined(
        _ old: ModelValue, _ assignment: Assignment, with value: ModelValue, in memory: FoldMemory
    ) throws(MisfitRule) -> ModelValue {
        switch (assignment, shape) {
        case (.set, _): return try fit(value, in: memory)
        case (.add, .one), (.take, .one): return try sum(old, assignment, with: value)
        case (.add, .map):
            _ = try keys(value, in: memory)
            throw .wrongType
        case (.take, .map):
            let keys = try keys(value, in: memory)
            guard case .map(let map) = old else { return .missing }
            return .map(map.removing(PackedSet(memory, keys, of: .text), in: memory))
        case (.add, .list), (.add, .set), (.add, .last): return try added(old, value, in: memory)
        case (.take, .list), (.take, .set), (.take, .last): return try taken(old, value, in: memory)
        }
    }

    private func sum(
        _ old: ModelValue, _ assignment: Assignment, with value: ModelValue
    ) throws(MisfitRule) -> ModelValue {
        guard scalar == .number, case .number(let number) = value else { throw .wrongType }
        var sum = ModelNumber.zero
        if case .number(let old) = old { sum = old }
        guard let result = assignment == .take ? sum.subtracting(number) : sum.adding(number) else {
            throw .outOfRange
        }
        return .number(result)
    }

    private func added(
        _ old: ModelValue, _ value: ModelValue, in memory: FoldMemory
    ) throws(MisfitRule) -> ModelValue {
        var list: PackedList?
        if case .list(let old) = old { list = old }
        var builder = PackedBuilder(memory, list, adding: 64)
        try append(parts: value, to: &builder)
        if shape == .set, let list, builder.count == list.count + 1 {
            return try withOneMore(list, builder)
        }
        return try limited(builder, in: memory)
    }

    /// Returns a set with one more element, unless it is there.
    private func withOneMore(_ list: PackedList, _ builder: PackedBuilder) throws(MisfitRule) -> ModelValue {
        let added = UnsafeRawBufferPointer(rebasing: builder.bytes[list.bytes.count...])
        var isThere = false
        list.forEach { if !isThere, $0.equals(added) { isThere = true } }
        if isThere { return .list(list) }
        guard builder.count <= count else {
            if drops { return .list(list) }
            throw .full
        }
        return .list(PackedList(builder.bytes, count: builder.count, of: list.scalar))
    }

    private func taken(
        _ old: ModelValue, _ value: ModelValue, in memory: FoldMemory
    ) throws(MisfitRule) -> ModelValue {
        let packed = PackedScalar(scalar)
        var parts = PackedBuilder(memory, capacity: 64)
        try append(parts: value, to: &parts)
        guard case .list(let list) = old else { return .missing }
        let taken = PackedSet(memory, parts, of: packed)
        var left = PackedBuilder(memory, capacity: list.bytes.count)
        list.forEach { element in
            guard !taken.contains(element) else { return }
            left.append(element)
            left.count += 1
        }
        return .list(PackedList(left.bytes, count: left.count, of: packed))
    }

    /// Returns the keys to take from a map: one, or those of a list.
    private func keys(_ value: ModelValue, in memory: FoldMemory) throws(MisfitRule) -> PackedBuilder {
        var keys = PackedBuilder(memory, capacity: 64)
        let list = value.elements
        for index in 0..<(list?.count ?? 1) {
            let key = (list?[index] ?? value).keyPart(limit: DefinitionLimits.entryKey, in: memory)
            guard let key else { throw .key }
            keys.append(key: key)
        }
        return keys
    }
}
