import StoryCore

/// Resolution of targets.
extension LineParts {
    /// Unwraps a value that an earlier step of reading has checked; throws an internal failure if it is nil.
    func known<Value>(_ value: Value?) throws(Failure) -> Value {
        guard let value else { throw Failure(.internal, "a part of the line that was checked is missing") }
        return value
    }

    /// Resolves the target before the options, which depend on it.
    mutating func resolveTarget(_ shape: RequestShape) throws(Failure) {
        guard let target else { return }
        switch shape.target {
        case .kind: kind = try kind(target, shape)
        case .counted, .found: try resolveCounted(target, shape)
        case .content: try resolveContent(target, shape)
        case .events: try resolveEvents(target.text, shape)
        case .subject, .erased: try resolveSubject(target.text, shape)
        case .none, .streams, .category, .stream, .subscription, .client, .topic, .directory, .model, .models, .change,
            .passedOn, .cursor, .cursors, .mark, .marks:
            return
        }
    }

    /// Returns the kind and the ID after it; if it is no ID, notes an error and returns nil for it.
    mutating func content() throws(Failure) -> (Kind, Identifier?) {
        (try known(kind), identifier(try known(targetName), field: "id"))
    }

    /// Returns the kind and the key of the row after it; if it is none, notes an error and returns nil for it.
    mutating func row() throws(Failure) -> (Kind, RowKey?) {
        let (kind, name) = (try known(kind), try known(targetName))
        let keys = catalogue[kind].keys
        guard keys != .id else { return (kind, identifier(name, field: "id").map { RowKey($0) }) }
        do throws(FieldRule) {
            let key = try keys.key(of: name)
            return (kind, RowKey(trusted: ByteView(borrowing: key.withUnsafeBytes { texts.keep($0) })))
        } catch {
            reject("id", error, keys.usage)
            return (kind, nil)
        }
    }

    /// Returns the events that the target names; notes an error and returns nil if the name is wrong.
    mutating func events() -> EventSelection.Source? {
        guard let targetName else { return .all }
        return streams(targetName)
    }

    /// Reads `STREAM` or `CATEGORY-*`; all without a target; notes an error and returns nil if the name is wrong.
    mutating func streams() -> EventSelection.Source? {
        guard let target else { return .all }
        return streams(target.text)
    }

    mutating func identifier(_ text: UnsafeRawBufferPointer, field: String) -> Identifier? {
        do throws(FieldError) {
            return try Identifier(spelled: text, field: field)
        } catch {
            errors.append(error)
            return nil
        }
    }

    mutating func streamName(_ text: UnsafeRawBufferPointer, field: String) -> StreamName? {
        if let name = StreamName(spelled: text) { return name }
        let message = "a stream is CATEGORY-ID, each 1–64 bytes of A–Z a–z 0–9 . _ ~ -, no - in the category"
        reject(field, .malformed, message)
        return nil
    }

    /// Reads the name of a stream, or `CATEGORY-*`; notes an error of this field and returns nil if it is wrong.
    mutating func streams(_ text: UnsafeRawBufferPointer, field: String = "stream") -> EventSelection.Source? {
        guard text.isPattern else { return pattern(text, field: field) }
        if let name = CategoryName(pattern: text) { return .category(name) }
        reject(field, .malformed, "a category is 1–64 bytes of A–Z a–z 0–9 . _ ~, and -* follows it")
        return nil
    }

    /// Reads a stream's name where a pattern is allowed too; the error says so.
    private mutating func pattern(_ text: UnsafeRawBufferPointer, field: String) -> EventSelection.Source? {
        if let name = StreamName(spelled: text) { return .stream(name.kept) }
        let isCategory = text.spellsName(CategoryName.length) && text.first(0x2D) == nil
        let example = isCategory ? "\(String(decoding: text, as: UTF8.self))-*" : "note-*"
        let forms = "a stream is CATEGORY-ID, and the only pattern is CATEGORY-*, such as \(example)"
        let message =
            text.first(0x2A) != nil
            ? "there are no patterns of IDs: \(forms)"
            : isCategory
                ? forms
                : "a stream is CATEGORY-ID, each 1–64 bytes of A–Z a–z 0–9 . _ ~ -, no - in the category; or CATEGORY-*"
        reject(field, .malformed, message)
        return nil
    }

    /// Reads `stories`, for the verbs that take a kind alone.
    private func kind(_ target: LinePart, _ shape: RequestShape) throws(Failure) -> Kind {
        if let kind = catalogue.kind(named: target.text), shape.takes(kind) { return kind }
        if let slash = target.text.first(0x2F), catalogue.kind(named: target.text.part(0..<slash)) != nil {
            throw Refusals.syntax("\(shape.verb.name) takes no ID: \(shape.usage)", at: target.index + slash)
        }
        throw Refusals.kind(target.text, shape)
    }

    /// Reads `stories`, or events.
    private mutating func resolveCounted(_ target: LinePart, _ shape: RequestShape) throws(Failure) {
        if target.text.parted().name.equals("events") { return try resolveEvents(target.text, shape) }
        kind = try kind(target, shape)
    }

    /// Reads `stories/12345` or `store://stories/12345`.
    private mutating func resolveContent(_ target: LinePart, _ shape: RequestShape) throws(Failure) {
        let text = target.text.withoutScheme
        let slash = text.first(0x2F)
        let name = text.part(0..<(slash ?? text.count))
        guard let found = catalogue.kind(named: name), shape.takes(found) else {
            throw Refusals.kind(name, shape)
        }
        guard let slash else {
            throw Refusals.syntax("the ID is missing: \(shape.usage)", at: target.index + target.text.count)
        }
        kind = found
        targetName = text.part(slash + 1..<text.count)
    }

    /// Reads `events`, `events/STREAM` or `events/CATEGORY-*`.
    private mutating func resolveEvents(_ text: UnsafeRawBufferPointer, _ shape: RequestShape) throws(Failure) {
        let (name, rest) = text.parted()
        isOfMisfits = name.equals("misfits") && shape.target == .events
        guard isOfMisfits || name.equals("events") else { throw Refusals.target(name, ["events", "misfits"], shape) }
        targetName = rest
    }

    /// Reads events, `stories` or `stories/12345`, also after `store://`.
    private mutating func resolveSubject(_ target: UnsafeRawBufferPointer, _ shape: RequestShape) throws(Failure) {
        let text = target.withoutScheme
        let (name, rest) = text.parted()
        if name.equals("events") { return try resolveEvents(target, shape) }
        guard let found = catalogue.kind(named: name), shape.takes(found) else {
            throw Refusals.target(name, ["events"] + shape.kinds.map(\.name), shape)
        }
        kind = found
        targetName = rest
    }
}

extension Identifier {
    /// Creates a view of a text as an ID.
    ///
    /// - Throws: the reason why it is none, as an error of the given field.
    init(spelled text: UnsafeRawBufferPointer, field: String) throws(FieldError) {
        guard text.spellsName(Identifier.length) else {
            let message = "an ID is 1–64 bytes of A–Z a–z 0–9 . _ ~ -"
            throw FieldError(field: field, rule: text.nameRule(Identifier.length), message: message)
        }
        self.init(trusted: ByteView(borrowing: text))
    }
}

extension CategoryName {
    /// Reads CATEGORY-*; nil if the bytes are none.
    init?(pattern text: UnsafeRawBufferPointer) {
        guard text.isPattern else { return nil }
        self.init(text.part(0..<text.count - 2))
    }
}

extension StreamName {
    /// Creates a view of CATEGORY-ID; nil if the bytes are none.
    init?(spelled text: UnsafeRawBufferPointer) {
        guard let dash = StreamName.categoryCount(text) else { return nil }
        self.init(trusted: ByteView(borrowing: text), categoryCount: dash)
    }

    /// Returns the number of bytes of a CATEGORY-ID before the dash; nil if it is none.
    static func categoryCount(_ text: UnsafeRawBufferPointer) -> Int? {
        guard text.spellsName(StreamName.length), let dash = text.first(0x2D), CategoryName.length.contains(dash),
            Identifier.length.contains(text.count - dash - 1)
        else { return nil }
        return dash
    }
}

extension UnsafeRawBufferPointer {
    /// True for a text that ends with `-*`.
    fileprivate var isPattern: Bool { count >= 2 && part(count - 2..<count).equals("-*") }

    /// An address without its `store://`.
    fileprivate var withoutScheme: UnsafeRawBufferPointer {
        count >= 8 && part(0..<8).equals("store://") ? part(8..<count) : self
    }

    /// Returns the parts before and after the first slash; the second is nil if there is no slash.
    fileprivate func parted() -> (name: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer?) {
        guard let slash = first(0x2F) else { return (self, nil) }
        return (part(0..<slash), part(slash + 1..<count))
    }

    /// Returns the rule that bytes break which are no name of such a length.
    func nameRule(_ length: ClosedRange<Int>) -> FieldRule {
        if count == 0 { return .empty }
        return count > length.upperBound ? .tooLong : .malformed
    }
}
