import StoryCore

/// A request as it is sent, without tag and LF; it is one line in any case.
struct RequestLine: Hashable, Sendable {
    /// The verb of the request.
    let verb: Verb
    /// The verb and target, which errors show.
    let name: String
    private var words: String
    /// The position that a store has to be at.
    private var least: Minimum?

    init(_ verb: Verb, _ target: String? = nil) {
        self.verb = verb
        name = verb.name + (target.map { " " + WireText.spelled($0) } ?? "")
        words = name
    }

    init(_ verb: ReadVerb, _ target: String? = nil) { self.init(.read(verb), target) }
    init(_ verb: WriteVerb, _ target: String? = nil) { self.init(.write(verb), target) }
    init(_ verb: FollowVerb, _ target: String? = nil) { self.init(.follow(verb), target) }
    init(_ verb: OperateVerb, _ target: String? = nil) { self.init(.operate(verb), target) }

    /// Makes the request that ends a connection.
    init(ending client: UInt64) {
        (verb, name) = (.operate(.clients), "CLIENTS end \(client)")
        words = name
    }

    /// The text of the line.
    var text: String { words + (least.map { " min=" + $0.option } ?? "") }

    /// Returns the line with an option; unchanged if there is no value.
    func option(_ name: String, _ value: String?) -> RequestLine {
        guard let value else { return self }
        var line = self
        line.words += " \(name)=" + WireText.spelled(value)
        return line
    }

    /// Returns the line with a minimum as an option, where the verb has that option; the greater one of two counts.
    func minimum(_ minimum: Minimum?) -> RequestLine {
        guard let minimum else { return self }
        switch verb {
        case .read, .follow(.subscribe):
            var line = self
            line.least = least.map { max($0, minimum) } ?? minimum
            return line
        case .write, .follow, .operate: return self
        }
    }

    /// Returns the line with the JSON that ends it, which has no LF.
    func body(_ json: JSONText) -> RequestLine {
        var line = self
        line.words += " " + json.text
        return line
    }

    /// True for a request that changes the history that it is sent to.
    var isWrite: Bool {
        switch verb {
        case .write, .operate(.passOn): true
        case .read, .follow, .operate: false
        }
    }

    /// True when the request may be sent again although it may have been carried out: it is a query, has a key, or is
    /// idempotent. A second backup would be refused, since the directory of the first one exists, and so would be a
    /// second `UNDEFINE`.
    var isRepeatable: Bool { verb != .operate(.backup) && verb != .write(.undefine) }
}

/// The spelling of targets and option values in a request line.
package enum WireText {
    /// The bytes, besides those of IDs, that have no special meaning on the wire anywhere in a word.
    private static let marks = "/:,@*+".utf8

    /// Returns the text as it is if it reads as one word, else as a JSON string.
    package static func spelled(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { Alphabet.holds($0) || marks.contains($0) }
        return isPlain ? text : JSONText.quoted(text)
    }
}
