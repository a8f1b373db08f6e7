import StoryCore

/// A rule of names beside those of the built-in kinds: returns the error that a name breaks it with; nil where it does not.
typealias NameRule = (_ name: UnsafeRawBufferPointer, _ kinds: [String]) -> FieldError?

/// Reading of requests about declared models.
extension RequestReader {
    func define(_ shape: RequestShape, _ parts: inout LineParts) throws(Failure) -> RequestAction {
        let name = modelName(try parts.known(parts.target).text, &parts, by: ModelName.definingError)
        let key = parts.writeOptions(scanner).key
        let check = try parts.values(maxLimit: DefineRequest.maxLimit, scanner).dryRun(key, &parts)
        let text = try text(&parts, shape)
        try parts.refuseErrors()
        let request = DefineRequest(name: try parts.known(name), text: Array(text), key: key, check: check)
        return check == nil ? .write(.define(request)) : .operate(.check(request))
    }

    /// Returns the name that is the target.
    func model(_ parts: inout LineParts, by rule: NameRule = ModelName.error) throws(Failure) -> String {
        let name = modelName(try parts.known(parts.target).text, &parts, by: rule)
        try parts.refuseErrors()
        return try parts.known(name)
    }

    /// Reads `READ misfits/NAME`, which takes fewer options than `READ events`.
    func misfits(_ parts: inout LineParts) throws(Failure) -> ReadAction {
        let name = modelName(parts.targetName ?? .none, &parts)
        let values = try parts.values(maxLimit: ReadQuery.maxLimit, scanner)
        for option in [OptionName.to, .types, .tags, .query, .log] where parts.seen & option.bit != 0 {
            parts.reject(option.name, .unknownField, "READ misfits/NAME takes from=, limit= and order=")
        }
        var from: Position?
        switch values.from {
        case .number(let number): from = Position(number)
        case .time: parts.reject("from", .malformed, "from= is the position of an event")
        case nil: break
        }
        try parts.refuseErrors()
        let query = MisfitsQuery(
            model: try parts.known(name), from: from, limit: values.limit ?? ReadQuery.defaultLimit,
            order: values.order ?? .ascending)
        return .misfits(query)
    }

    /// Takes the string that ends the line.
    private func text(_ parts: inout LineParts, _ shape: RequestShape) throws(Failure) -> UnsafeRawBufferPointer {
        guard parts.cursor.isAtQuote else {
            throw Refusals.syntax("the text is a JSON string: \(shape.usage)", at: parts.cursor.index)
        }
        let part = try parts.takeQuoted(scanner)
        parts.cursor.skipSpaces()
        guard parts.cursor.isAtEnd else {
            throw Refusals.syntax("nothing follows the text: \(shape.usage)", at: parts.cursor.index)
        }
        return part.text
    }

    /// Returns the name of a model; notes an error and returns nil for one that no model may have.
    private func modelName(
        _ text: UnsafeRawBufferPointer, _ parts: inout LineParts, by rule: NameRule = ModelName.error
    ) -> String? {
        let kinds = table.catalogue.kinds.filter { $0.program == nil }.map(\.name)
        guard let error = rule(text, kinds) else { return String(decoding: text, as: UTF8.self) }
        parts.errors.append(error)
        return nil
    }
}

extension OptionValues {
    /// Returns the number of rows that a dry run shows; nil for a definition. Notes options that do not go together.
    fileprivate func dryRun(_ key: RequestKey?, _ parts: inout LineParts) -> Int? {
        if check, key != nil { parts.reject("key", .notSelected, "a dry run writes nothing, so it has no key") }
        if !check, limit != nil { parts.reject("limit", .notSelected, "limit= is for check=true") }
        return check ? limit ?? DefineRequest.defaultLimit : nil
    }
}
