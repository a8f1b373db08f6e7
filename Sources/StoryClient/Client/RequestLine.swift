import StoryCore

/// A request as it goes on the wire, without tag and LF. Whatever the parts are, it is one line.
struct RequestLine: Hashable, Sendable {
    /// What it asks for.
    let verb: Verb
    /// Verb and target: what the line is called in errors.
    let name: String
    /// The line.
    private(set) var text: String

    init(_ verb: Verb, _ target: String? = nil) {
        self.verb = verb
        name = verb.rawValue + (target.map { " " + WireText.spelled($0) } ?? "")
        text = name
    }

    /// The same with an option; without it, where there is no value.
    func option(_ name: String, _ value: String?) -> RequestLine {
        guard let value else { return self }
        var line = self
        line.text += " \(name)=" + WireText.spelled(value)
        return line
    }

    /// The same with a number as an option.
    func option(_ name: String, _ value: UInt64?) -> RequestLine { option(name, value.map(String.init)) }

    /// The same with names as an option, between commas.
    func option(_ name: String, _ values: [String]?) -> RequestLine { option(name, values?.joined(separator: ",")) }

    /// The same with the JSON that ends the line, which has no LF.
    func body(_ json: JSONText) -> RequestLine {
        var line = self
        line.text += " " + json.text
        return line
    }

    /// True when it may be sent again although it may have been carried out: it asks, or has a key, or does the same
    /// thing twice. A backup that was made is in its own way.
    var isRepeatable: Bool { verb != .backup }
}
