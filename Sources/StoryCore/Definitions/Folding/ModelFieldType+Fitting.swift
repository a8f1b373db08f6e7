extension ModelFieldType.Scalar {
    /// Returns the value as the type holds it.
    ///
    /// - Throws: the rule that the value breaks.
    func fit(_ value: ModelValue) throws(MisfitRule) -> ModelValue {
        switch (self, value) {
        case (_, .absent(let absence)): throw absence.reason
        case (.text(let limit), .text(let text)):
            guard text.count <= limit else { throw .tooLong }
            return value
        case (.number, .number), (.boolean, .boolean), (.time, .time): return value
        case (.time, .text(let text)):
            guard let time = Instant(model: text) else { throw .malformed }
            return .time(time)
        case (.text, _), (.number, _), (.boolean, _), (.time, _): throw .wrongType
        }
    }
}

extension ModelFieldType {
    /// Returns the value as the type holds it.
    ///
    /// - Throws: the rule that the value breaks.
    func fit(_ value: ModelValue, in memory: FoldMemory) throws(MisfitRule) -> ModelValue {
        switch shape {
        case .one: return try scalar.fit(value)
        case .list, .set, .last:
            if case .absent(let absence) = value { throw absence.reason }
            guard let list = value.elements else { throw .wrongType }
            var builder = PackedBuilder(memory, capacity: 64)
            try append(list, to: &builder)
            return try limited(builder, in: memory)
        case .map: return try map(value, in: memory)
        }
    }

    /// Appends the elements of a list, or one, each as the type holds it.
    ///
    /// - Throws: the rule that the value breaks.
    func append(parts value: ModelValue, to builder: inout PackedBuilder) throws(MisfitRule) {
        if let list = value.elements { return try append(list, to: &builder) }
        builder.append(try scalar.fit(value))
    }

    private func append(_ list: ValueList, to builder: inout PackedBuilder) throws(MisfitRule) {
        switch list {
        case .event(let array):
            for index in 0..<array.count { builder.append(try scalar.fit(ModelValue(array[index]))) }
        case .stored(let list):
            var element = list.start
            for _ in 0..<list.count {
                builder.append(try scalar.fit(list.scalar.value(at: element)))
                element += list.scalar.count(at: element)
            }
        }
    }

    /// Returns the elements as a field holds them: each once in a set, the newest in a last.
    ///
    /// - Throws: `full` where there are too many, unless those are dropped.
    func limited(
        _ builder: PackedBuilder, in memory: FoldMemory
    ) throws(MisfitRule) -> ModelValue {
        let packed = PackedScalar(scalar)
        switch shape {
        case .set: return try eachOnce(builder, in: memory)
        case .last:
            let dropped = max(builder.count - count, 0)
            let bytes = builder.bytes(dropping: dropped, of: packed)
            return .list(PackedList(bytes, count: builder.count - dropped, of: packed))
        case .one, .list, .map:
            guard builder.count <= count else {
                if drops { return first(of: builder, in: memory) }
                throw .full
            }
            return .list(PackedList(builder.bytes, count: builder.count, of: packed))
        }
    }

    /// Returns as many of the first elements as the field holds.
    private func first(of builder: PackedBuilder, in memory: FoldMemory) -> ModelValue {
        let packed = PackedScalar(scalar)
        var found = PackedBuilder(memory, capacity: builder.bytes.count)
        builder.forEach(of: packed) { element in
            guard found.count < count else { return }
            found.append(element)
            found.count += 1
        }
        return .list(PackedList(found.bytes, count: found.count, of: packed))
    }

    /// Returns the elements in order without repetitions, each at its first occurrence.
    private func eachOnce(
        _ builder: PackedBuilder, in memory: FoldMemory
    ) throws(MisfitRule) -> ModelValue {
        let packed = PackedScalar(scalar)
        // One more than the field holds shows that there are too many.
        let most = drops ? count : count + 1
        var seen = PackedSet(memory, capacity: min(builder.count, most))
        var found = PackedBuilder(memory, capacity: builder.bytes.count)
        builder.forEach(of: packed) { element in
            guard found.count < most, seen.insert(element) else { return }
            found.append(element)
            found.count += 1
        }
        guard found.count <= count else { throw .full }
        return .list(PackedList(found.bytes, count: found.count, of: packed))
    }

    private func map(_ value: ModelValue, in memory: FoldMemory) throws(MisfitRule) -> ModelValue {
        var builder = PackedBuilder(memory, capacity: 64)
        switch value {
        case .absent(let absence): throw absence.reason
        case .object(let object):
            for member in object.members {
                guard 1...DefinitionLimits.entryKey ~= member.name.count else { throw .key }
                add(member.name, try scalar.fit(ModelValue(member.value)), to: &builder)
            }
        case .map(let map):
            var misfit: MisfitRule?
            map.forEach { key, value in
                guard misfit == nil else { return }
                do throws(MisfitRule) { add(key, try scalar.fit(value), to: &builder) } catch { misfit = error }
            }
            if let misfit { throw misfit }
        case .boolean, .number, .time, .text, .list, .array: throw .wrongType
        }
        guard builder.count <= count else { throw .full }
        return .map(PackedMap(builder.bytes, count: builder.count, of: PackedScalar(scalar)))
    }

    /// Adds an entry, unless it is one that is dropped.
    private func add(_ key: UnsafeRawBufferPointer, _ value: ModelValue, to builder: inout PackedBuilder) {
        guard !drops || builder.count < count else { return }
        builder.append(key: key, value)
        builder.count += 1
    }
}

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
