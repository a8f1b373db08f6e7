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
        name = verb.rawValue + (target.map { " " + RequestLine.quoted($0) } ?? "")
        text = name
    }

    /// The same with an option; without it, where there is no value.
    func option(_ name: String, _ value: String?) -> RequestLine {
        guard let value else { return self }
        var line = self
        line.text += " \(name)=" + RequestLine.quoted(value)
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

    /// Spelled as it is where that is one word, else as a JSON string.
    static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.utf8.allSatisfy(isPlain)
        return isPlain ? value : JSONText.quoted(value)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        Alphabet.holds(byte) || [0x2F, 0x3A, 0x2C, 0x40, 0x2A, 0x2B].contains(byte)
    }
}
