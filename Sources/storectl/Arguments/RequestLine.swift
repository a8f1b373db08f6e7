import StoryClient

/// A request of the line protocol, put together from what a person typed.
struct RequestLine {
    private(set) var text: String

    /// - Parameter target: what the request is about, as a JSON string where it needs one.
    init(_ verb: String, _ target: String? = nil) {
        text = verb + (target.map { " " + WireText.spelled($0) } ?? "")
    }

    /// Adds ` name=value`, the value as a JSON string where it needs one.
    mutating func add(_ name: String, _ value: String) { text += " \(name)=\(WireText.spelled(value))" }

    /// Adds the option under its own name, if it is given.
    mutating func add(_ name: String, from arguments: Arguments) {
        if let value = arguments.value(name) { add(name, value) }
    }

    /// The line with a JSON text at its end.
    func with(json: String) -> String { text + " " + json }
}
