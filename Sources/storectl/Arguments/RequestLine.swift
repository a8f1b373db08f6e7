import StoryClient

/// A request of the line protocol, put together from what a person typed.
struct RequestLine {
    private(set) var text: String

    /// - Parameter target: what the request is about; it cannot hold spaces or line ends.
    init(_ verb: String, _ target: String? = nil) throws(CommandError) {
        text = verb
        guard let target else { return }
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw .usage("\"\(target)\" is no target; write one like stories/12345, with no spaces")
        }
        text += " " + target
    }

    /// Adds ` name=value`, the value as a JSON string where it needs one.
    mutating func add(_ name: String, _ value: String) {
        let plain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x22 && $0 != 0x5C }
        text += " \(name)=\(plain ? value : JSONText.quoted(value))"
    }

    /// Adds the option under its own name, if it is given.
    mutating func add(_ name: String, from arguments: Arguments) {
        if let value = arguments.value(name) { add(name, value) }
    }

    /// The line with a JSON text at its end.
    func with(json: String) -> String { text + " " + json }
}
