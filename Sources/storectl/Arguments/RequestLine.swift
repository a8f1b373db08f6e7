import StoryClient

/// A request of the line protocol, built from a command line.
struct RequestLine {
    private(set) var text: String

    /// Begins a request.
    ///
    /// - Parameter target: the target of the request, which is spelled as a JSON string where it needs one.
    init(_ verb: String, _ target: String? = nil) {
        text = verb + (target.map { " " + WireText.spelled($0) } ?? "")
    }

    /// Adds ` name=value`, the value as a JSON string where it needs one.
    mutating func add(_ name: String, _ value: String) { text += " \(name)=\(WireText.spelled(value))" }

    /// Adds the option under its own name, if it is given.
    mutating func add(_ name: String, from arguments: Arguments) {
        if let value = arguments.value(name) { add(name, value) }
    }

    /// Returns the line with a JSON text at its end.
    func with(json: String) -> String { text + " " + json }
}

/// The conversion of flags into a form: `--title "A title"` becomes a member of a JSON object.
enum FormFields {
    /// The fields that are numbers; every other one is text.
    private static let numbers: Set<String> = ["prefecture", "iso", "focalLength", "exposureValue", "lensAperture"]

    /// Returns the form as a JSON object; nil when no field is given.
    static func json(_ arguments: Arguments, besides options: [Option]) -> String? {
        let known = Set(options.map(\.name) + Option.ofEveryVerb.map(\.name))
        let members = arguments.options.filter { !known.contains($0.name) }.map(member)
        return members.isEmpty ? nil : "{" + members.joined(separator: ",") + "}"
    }

    private static func member(name: String, value: String) -> String {
        // A value that is not a number is sent as text, so that the store names it among the wrong fields.
        let isBare = numbers.contains(name) && isNumber(value)
        return "\(JSONText.quoted(name)):\(isBare ? value : JSONText.quoted(value))"
    }

    /// Returns true for a JSON number.
    private static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
    }
}
