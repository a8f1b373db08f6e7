import StoryCore

/// The parts of a line that were read so far, and the errors in their values.
///
/// One is reused for every line, so that reading a line allocates nothing.
struct LineParts: ~Copyable {
    var cursor = LineCursor(UnsafeRawBufferPointer(start: nil, count: 0))
    /// The line's verb; nil until it is known.
    var verb: Verb?
    private(set) var tag: Tag?
    /// The index of the first byte behind the tag and the spaces around it.
    private(set) var verbIndex = 0
    /// The target's text; nil if the line has none.
    private(set) var target: LinePart?
    /// The kind that the target names; nil if it names none.
    var kind: Kind?
    /// True for the target `misfits/NAME`.
    var isOfMisfits = false
    /// The part of the target after the slash; nil if there is no slash.
    var targetName: UnsafeRawBufferPointer?
    private(set) var options = ReusedList<OptionPart>(
        capacity: OptionName.allCases.count + KindDeclaration.maxFilterCount)
    /// The index of the JSON in the line; nil if the line has none.
    private(set) var body: Int?
    /// The errors of all wrong values in the line.
    var errors: [FieldError] = []
    /// The texts whose escapes were resolved.
    var texts: TextArena
    /// The catalogue of the kinds that targets name.
    private(set) var catalogue: Catalogue
    /// A bit for each option that the line has.
    private(set) var seen: UInt32 = 0
    /// A bit for each filter that the line has.
    private(set) var seenFilters: UInt128 = 0

    init(lineLimit: Int, _ catalogue: Catalogue) {
        // The key of a row may be a little longer than its text.
        texts = TextArena(capacity: lineLimit + LineFramer.slack + RowKey.length.upperBound)
        self.catalogue = catalogue
    }

    /// Resolves the targets of the next lines in another catalogue.
    mutating func catalogueReplaced(by catalogue: Catalogue) { self.catalogue = catalogue }

    /// Resets everything for a new line.
    mutating func begin(_ line: UnsafeRawBufferPointer) {
        cursor = LineCursor(line)
        verb = nil
        tag = nil
        verbIndex = 0
        target = nil
        kind = nil
        targetName = nil
        isOfMisfits = false
        options.removeAll()
        body = nil
        if !errors.isEmpty { errors.removeAll(keepingCapacity: true) }
        texts.clear()
        seen = 0
        seenFilters = 0
    }

    var line: UnsafeRawBufferPointer { cursor.line }

    /// The bytes from the JSON to the end of the line.
    var bodyText: UnsafeRawBufferPointer { line.part((body ?? line.count)..<line.count) }

    mutating func takeTag() throws(Failure) {
        cursor.skipSpaces()
        tag = try cursor.takeTag()
        cursor.skipSpaces()
        verbIndex = cursor.index
    }

    /// Takes the word after the verb, unless it is an option or the JSON.
    mutating func takeTarget(_ shape: RequestShape, _ scanner: JSONScanner) throws(Failure) {
        guard shape.target != .none else { return }
        cursor.skipSpaces()
        var ahead = cursor
        let isOption = ahead.takeOptionName() != nil
        if !cursor.isAtEnd, !cursor.isAtBody, !isOption {
            target = cursor.isAtQuote ? try takeQuoted(scanner) : cursor.takeWord()
        } else if shape.target.isRequired {
            throw Refusals.syntax("the target is missing: \(shape.usage)", at: cursor.index)
        }
        try resolveTarget(shape)
    }

    /// Takes the options before the JSON or the line's end; each must be an option of the verb or a filter of the kind.
    mutating func takeOptions(_ shape: RequestShape, _ scanner: JSONScanner) throws(Failure) {
        while true {
            cursor.skipSpaces()
            guard !cursor.isAtEnd, !cursor.isAtBody, !(shape.body == .text && cursor.isAtQuote) else { return }
            guard let name = cursor.takeOptionName() else {
                throw Refusals.syntax("no name=value begins here: \(shape.usage)", at: cursor.index)
            }
            let key = try optionKey(name, shape)
            options.append(OptionPart(key: key, value: try takeValue(scanner).text))
        }
    }

    /// Returns the meaning of an option's name; throws if the name is unknown or repeated.
    private mutating func optionKey(_ name: LinePart, _ shape: RequestShape) throws(Failure) -> OptionKey {
        let isRepeated: Bool
        let key: OptionKey
        if let option = OptionName.find(name.text), optionBits(shape) & option.bit != 0 {
            isRepeated = seen & option.bit != 0
            seen |= option.bit
            key = .option(option)
        } else if let kind = filteredKind(shape), let filter = catalogue[kind].filter(named: name.text) {
            let bit: UInt128 = 1 &<< UInt128(filter)
            isRepeated = seenFilters & bit != 0
            seenFilters |= bit
            key = .filter(filter)
        } else {
            throw unknownOption(name, shape)
        }
        guard !isRepeated else { throw Refusals.syntax("\(Refusals.echo(name.text))= stands twice", at: name.index) }
        return key
    }

    /// Returns a bit for each option that the verb has for the line's target.
    private func optionBits(_ shape: RequestShape) -> UInt32 { shape.optionBits(of: kind.map { catalogue[$0] }) }

    /// Returns the kind whose rows can be filtered; nil if the target is no kind, or a single row.
    private func filteredKind(_ shape: RequestShape) -> Kind? {
        shape.takesFilters && targetName == nil ? kind : nil
    }

    private func unknownOption(_ name: LinePart, _ shape: RequestShape) -> Failure {
        let options = OptionName.allCases.filter { optionBits(shape) & $0.bit != 0 }.map(\.name)
        let filters = filteredKind(shape).map { catalogue[$0].options.map(\.name) } ?? []
        return Refusals.unknown("\(shape.verb.name) has no option", name.text, among: options + filters)
    }

    /// Finds the JSON, and refuses a line with a missing or an unexpected one.
    mutating func takeBody(_ shape: RequestShape) throws(Failure) {
        if !cursor.isAtEnd { body = cursor.index }
        if shape.body == .none, let body {
            throw Refusals.syntax("\(shape.verb.name) takes no JSON: \(shape.usage)", at: body)
        }
        if shape.body != .none, !shape.body.isOptional, body == nil {
            throw Refusals.syntax("the JSON is missing: \(shape.usage)", at: cursor.index)
        }
    }

    /// Notes a wrong value, up to the most that a failure can name.
    mutating func reject(_ field: @autoclosure () -> String, _ rule: FieldRule, _ message: @autoclosure () -> String) {
        guard errors.count < Failure.mostFields else { return }
        errors.append(FieldError(field: field(), rule: rule, message: message()))
    }

    /// Reads a value and notes its error, so that the other values are still read.
    mutating func noting(_ read: () throws(FieldError) -> Void) {
        do throws(FieldError) { try read() } catch { reject(error.field, error.rule, error.message) }
    }

    /// Throws if a value of the line was wrong.
    mutating func refuseErrors() throws(Failure) {
        guard errors.isEmpty else { throw Refusals.invalid(errors) }
    }

    /// The key of the line; nil if there is none or it is malformed.
    var key: RequestKey? {
        for index in options.indices {
            let option = options[index]
            guard case .option(.key) = option.key, option.value.spellsName(RequestKey.length) else { continue }
            return RequestKey(trusted: ByteView(copying: option.value))
        }
        return nil
    }

    private mutating func takeValue(_ scanner: JSONScanner) throws(Failure) -> LinePart {
        if cursor.isAtQuote { return try takeQuoted(scanner) }
        guard cursor.isAtBody else { return cursor.takeWord() }
        let part = try cursor.takeNested()
        let document = scanner.scan(part.text, readable: part.text.count)
        guard document.isValid else { throw Refusals.json(document, part.text, at: part.index) }
        return part
    }

    mutating func takeQuoted(_ scanner: JSONScanner) throws(Failure) -> LinePart {
        let part = try cursor.takeQuoted()
        let inside = part.text.part(1..<part.text.count - 1)
        // Without a backslash the characters are the bytes, which were checked already.
        guard inside.first(0x5C) != nil else { return LinePart(text: inside, index: part.index) }
        let document = scanner.scan(part.text, readable: part.text.count)
        guard document.isValid, document.root.isString else {
            throw Refusals.json(document, part.text, at: part.index)
        }
        return LinePart(text: texts.keep(document.root.stringBytes), index: part.index)
    }
}
