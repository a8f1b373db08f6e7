import StoryClient

/// A declared model or a built-in kind, as `MODELS` describes it.
package struct ModelDescription: BrowsedRow {
    /// A field of the rows or of a form, or a filter that is no field.
    struct Field: Hashable, Sendable {
        /// The limits of a number.
        struct Limits: Hashable, Sendable {
            let lower: Int64
            let upper: Int64
        }

        let name: String
        /// The type as descriptions spell it.
        let type: String
        /// The name for people.
        let label: String
        /// The unit of its numbers; nil if there is none.
        let unit: String?
        /// The kind whose IDs the values are, and its category; nil if they are none.
        var kind: String?
        var category: String?
        /// True for a text of several lines.
        var hasLines = false
        /// The words that it may be; none for another type.
        var choices: [String] = []
        var limits: Limits?
        /// True for a field that a form must have.
        var isRequired = false
        /// True for a field that the store gives a value where a form has none.
        var hasDefault = false
        /// The fields that a filter tests; none for a field.
        var tested: [String] = []

        init(_ name: String, _ type: String, label: String? = nil, unit: String? = nil) {
            (self.name, self.type, self.label, self.unit) = (name, type, label ?? name, unit)
        }
    }

    /// A way from a row to another one, or to a list.
    struct Link: Hashable, Sendable {
        let key: Character
        let name: String
        let kind: String
        /// The filter of the list; nil for a row.
        let filter: String?
        /// The fields whose values are the ID, or the value of the filter.
        let fields: [String]
    }

    /// A filter that takes the value of another one.
    struct Turn: Hashable, Sendable {
        let key: Character
        let name: String
        let filter: String
    }

    /// A write that the rows take.
    struct Write: Hashable, Sendable {
        let verb: String
        let key: Character
        let fields: [Field]
    }

    /// How far a definition is built.
    struct Build: Hashable, Sendable {
        let definition: Int64
        /// The event that it is folded up to.
        let position: Int64
        /// The last event of the log.
        let end: Int64
        /// The number of rows that it has taken over; nil if it folds events.
        let rowsTaken: Int64?

        /// The share of the events as `45 %`, rounded down; a part outside of the whole is none or all of it.
        var share: String {
            guard end > 0 else { return "0 %" }
            return "\(Int(Double(max(0, min(position, end))) / Double(end) * 100)) %"
        }

        /// The share, and the events; or the rows.
        var text: String {
            rowsTaken.map { "rows taken over: \($0)" } ?? "\(share), \(position) of \(end) events"
        }
    }

    package let id: String
    /// The number of the definition that answers, or of the first one while that is built; nil of a built-in kind.
    let definition: Int64?
    /// The state: `ready`, `building` or `failed`.
    let state: String
    let rows: Int64
    let misfits: Int64
    let bytes: Int64
    /// The progress of a definition that is being built.
    let build: Build?
    /// The reason why there is no definition that answers, or why one is not built.
    let reason: String?
    /// The text of the definition; empty in a list of models.
    let text: String
    let fields: [Field]
    let filters: [String]
    /// The filters that are no fields.
    let computed: [Field]
    let sorts: [String]
    /// The parts of a definition that the browser needs; nil of a built-in kind.
    let outline: ModelOutline?
    /// The category of the streams that have a row each; nil if rows are of several streams.
    let category: String?
    /// The key that shows the list.
    let key: String?
    /// The field that names a row.
    let title: String?
    /// The columns of a list; none for all fields.
    let columns: [String]
    /// The field that `since` and `until` bound, whatever the sort; nil if that is the sort's.
    let bounds: String?
    let links: [Link]
    let turns: [Turn]
    let writes: [Write]
    /// The types of the events that change the field which names a row; nil if there is no such field.
    let typesOfRenames: [String]?

    /// No event changes a description alone.
    package var position: UInt64 { 0 }

    /// True for a model that users declared.
    var isDeclared: Bool { definition != nil }

    /// True if a definition answers.
    var isReady: Bool { state == "ready" }

    /// Creates a description from a line of `MODELS`; nil if that names no model.
    init?(_ line: JSONValue) {
        guard let name = line.model?.stringValue else { return nil }
        id = name
        definition = line.definition?.integerValue
        state = line.state?.stringValue ?? ""
        rows = line.rows?.integerValue ?? 0
        misfits = line.misfits?.integerValue ?? 0
        bytes = line.bytes?.integerValue ?? 0
        build = line.building.map { build in
            Build(
                definition: build.definition?.integerValue ?? 0, position: build.position?.integerValue ?? 0,
                end: build["of"]?.integerValue ?? 0, rowsTaken: build.rows?.integerValue)
        }
        reason = line.reason?.stringValue
        text = line.text?.stringValue ?? ""
        fields = line.fields.elements.compactMap { Field($0) }
        filters = line.filters.strings
        computed = line.computed.elements.compactMap { Field($0) }
        sorts = line.sorts.strings
        outline = ModelOutline(text)
        category = line.category?.stringValue
        key = line.key?.stringValue
        let title = line.title?.stringValue
        self.title = title
        columns = line.columns.strings
        bounds = line.bounds?.stringValue
        links = line.links.elements.compactMap { Link($0) }
        turns = line.turns.elements.compactMap { Turn($0) }
        writes = line.writes.elements.compactMap { Write($0) }
        typesOfRenames = title.map { title in
            line.events.elements.filter { $0.effect?.stringValue == "changes" && $0.fields.strings.contains(title) }
                .compactMap { $0.type?.stringValue }
        }
    }

    /// The state in a few words, with the share of a definition that is being built.
    var note: String {
        let progress = build.map { isReady ? ", definition \($0.definition) at \($0.share)" : " \($0.share)" } ?? ""
        return state + progress + (misfits == 0 ? "" : ", \(misfits) misfit\(misfits == 1 ? "" : "s")")
    }

    /// The state in one sentence.
    var sentence: String {
        switch (isReady, build, reason) {
        case (true, let build?, _): "definition \(build.definition) is being built: \(build.text)"
        case (true, nil, let reason?): "ready; \(reason)"
        case (true, nil, nil): "ready"
        case (false, let build?, _): "is being built: \(build.text)"
        case (false, nil, let reason?): "\(state): \(reason)"
        case (false, nil, nil): state
        }
    }
}

// The parts of a description, each nil if a member that it needs is missing.
extension ModelDescription.Field {
    init?(_ json: JSONValue) {
        guard let name = json.name?.stringValue else { return nil }
        self.init(
            name, json.type?.stringValue ?? "", label: json.label?.stringValue, unit: json.unit?.stringValue)
        kind = json.kind?.stringValue
        category = json.category?.stringValue
        hasLines = json.lines == .bool(true)
        choices = json.choices.strings
        if let lower = json.from?.integerValue, let upper = json.to?.integerValue {
            limits = Limits(lower: lower, upper: upper)
        }
        isRequired = json.required == .bool(true)
        hasDefault = json.default != nil
        tested = json["of"].strings
    }
}

extension ModelDescription.Link {
    init?(_ json: JSONValue) {
        guard let key = json.key?.stringValue?.first, let name = json.name?.stringValue,
            let kind = json.kind?.stringValue
        else { return nil }
        (self.key, self.name, self.kind) = (key, name, kind)
        (filter, fields) = (json.filter?.stringValue, json["of"].strings)
    }
}

extension ModelDescription.Turn {
    init?(_ json: JSONValue) {
        guard let key = json.key?.stringValue?.first, let name = json.name?.stringValue,
            let filter = json.filter?.stringValue
        else { return nil }
        (self.key, self.name, self.filter) = (key, name, filter)
    }
}

extension ModelDescription.Write {
    init?(_ json: JSONValue) {
        guard let verb = json.verb?.stringValue, let key = json.key?.stringValue?.first else { return nil }
        (self.verb, self.key) = (verb, key)
        fields = json.fields.elements.compactMap { ModelDescription.Field($0) }
    }
}

extension JSONValue? {
    /// The elements of an array; none of another value.
    fileprivate var elements: [JSONValue] { if case .array(let elements)? = self { elements } else { [] } }
    /// The strings of an array.
    fileprivate var strings: [String] { elements.compactMap(\.stringValue) }
}
