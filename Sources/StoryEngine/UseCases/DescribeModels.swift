package import StoryCore
package import StoryFold

/// The members of `MODELS`.
extension DeclaredModel {
    /// Returns the members that each model has.
    ///
    /// - Parameter head: the last event that the models have.
    func members(_ name: String, _ state: DeclaredModelState, head: Position) -> [Member] {
        let build = state.build
        let word = state.isReady ? "ready" : state.hasFailed ? "failed" : "building"
        var members = [Member("model", .text(name))]
        if let number = active?.number ?? newest?.number {
            members.append(Member("definition", .count(UInt64(number))))
        }
        members += [
            Member("state", .text(word)), Member("rows", .count(state.rows)), Member("misfits", .count(state.misfits)),
            Member("bytes", .count(state.bytes)),
        ]
        if let build {
            var progress = [
                Member("definition", .count(UInt64(build.definition))),
                Member("position", .count(build.position.value)), Member("of", .count(head.value)),
            ]
            if let rows = build.rowsTaken { progress.append(Member("rows", .count(rows))) }
            members.append(Member("building", .object(progress)))
        }
        if let reason = state.reason { members.append(Member("reason", .text(reason))) }
        return members
    }

    /// Returns the members that a model has besides, where it is asked for alone.
    ///
    /// - Parameter kind: the kind of its rows; nil while no definition answers.
    func details(_ kind: KindSchema?) -> [Member] {
        guard let current = active ?? newest else { return [] }
        let text = String(decoding: current.text, as: UTF8.self)
        var members = [Member("text", .text(text))]
        guard let definition = try? Definition.read(text) else { return members }
        let fields = definition.fields.map { field in
            MemberValue.object([
                Member("name", .text(field.name)), Member("type", .text(field.type.spelling)),
                Member("optional", .flag(field.isOptional)),
            ])
        }
        members.append(Member("fields", .list(fields)))
        let filters = kind?.filters.filter { $0.test.boundedField == nil } ?? []
        members.append(Member("filters", .list(filters.map { .text($0.name) })))
        members.append(Member("sorts", .list((kind?.sorts.map(\.name) ?? []).map { .text($0) })))
        let indexes = definition.indexes.map { index in
            MemberValue.list(index.map { .text(definition.fields[$0].name) })
        }
        members.append(Member("indexes", .list(indexes)))
        members.append(Member("history", .flag(definition.hasHistory)))
        if definition.hasRowsOfOneStream, let categories = definition.program.categories, categories.count == 1,
            let category = categories.first
        {
            members.append(Member("category", .text(category)))
        }
        return members
    }
}

extension ModelRequests {
    /// `MODELS` with the name of a built-in kind, as of the head.
    func describe(_ kind: KindSchema, tag: Tag?, to output: any TurnOutput) throws(StorageError) {
        var rows: UInt64 = 0
        if case .tally(let all, _) = QueryPlan(kind, []).count { rows = try world.rows(of: kind).tally(kind, at: all) }
        let description = kind.description(rows: rows, in: world.catalogue)
        output.reply(.line(description), tag: tag, restsOn: world.head)
        output.reply(.done(.described(1, at: world.head)), tag: tag, restsOn: world.head)
    }
}

extension Done {
    /// Returns the end of `MODELS`.
    static func described(_ count: Int, at position: Position) -> Done {
        .members([Member("count", .count(UInt64(count))), Member("position", .count(position.value))])
    }
}

extension NeverSeen.Name {
    /// The members of an element of `never`.
    package var members: [Member] {
        [Member("line", .count(UInt64(line))), Member("name", .text(name))]
            + (nearest.map { [Member("nearest", .text($0))] } ?? [])
    }
}

extension ModelFieldType {
    /// The type as a definition spells it: `list(text, 10)`.
    package var spelling: String {
        let one: String
        switch scalar {
        case .text(let limit): one = limit == 1_024 ? "text" : "text(\(limit))"
        case .number, .boolean, .time: one = scalar.name
        }
        return shape == .one ? one : "\(shape.rawValue)(\(one), \(count)\(drops ? ", \(ModelFieldType.dropWord)" : ""))"
    }
}

extension Definition {
    /// Reads the text of a request.
    ///
    /// - Throws: `invalid` with a field for each fault, which is its line and column: `12:5`.
    static func checked(_ text: [UInt8]) throws(Failure) -> Definition {
        do throws(DefinitionFaults) {
            return try read(String(decoding: text, as: UTF8.self))
        } catch {
            let fields = error.faults.prefix(Failure.mostFields).map { fault in
                FieldError(
                    field: "\(fault.position.line):\(fault.position.column)", rule: FieldRule(fault.rule),
                    message: fault.sentence)
            }
            let names = fields.prefix(8).map(\.field).joined(separator: ", ")
            let more = fields.count > 8 ? " and \(fields.count - 8) more" : ""
            let count = fields.count == 1 ? "1 field is" : "\(fields.count) fields are"
            throw Failure(.invalid, "\(count) wrong: \(names)\(more)", .fields(Array(fields)))
        }
    }

    /// Returns true when two texts are the same but for comments and lines.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one == other
            || DefinitionTokens(String(decoding: one, as: UTF8.self))
                == DefinitionTokens(String(decoding: other, as: UTF8.self))
    }
}

extension FieldRule {
    fileprivate init(_ rule: DefinitionRule) {
        switch rule {
        case .malformed: self = .malformed
        case .missing: self = .missing
        case .noSuch: self = .noSuch
        case .notSelected: self = .notSelected
        case .outOfRange: self = .outOfRange
        case .repeated: self = .repeated
        case .tooLong: self = .tooLong
        case .wrongType: self = .wrongType
        }
    }
}

extension Receipt {
    /// The members of a receipt, without those that only some writes have.
    var members: [Member] {
        [
            Member("stream", .text(stream.description)), Member("version", .count(version.value)),
            Member("position", .count(position.value)), Member("time", .text(time.text)),
        ]
    }
}

extension StreamName {
    /// Creates the name of the stream that has the definitions of a model.
    init(model name: String) {
        let bytes = Array("\(DeclaredModel.category)-\(name)".utf8)
        self.init(trusted: ByteView(bytes), categoryCount: DeclaredModel.category.utf8.count)
    }
}
