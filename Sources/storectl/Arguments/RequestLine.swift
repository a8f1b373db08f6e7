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
