import StoryClient
import StoryCore

/// The request lines that may be asked for over HTTP.
enum QueryLine {
    /// The verbs that are asked for: all that read, and the reports of the daemon.
    private static let verbs: [Verb] =
        ReadVerb.allCases.map { .read($0) }
        + [.operate(.help), .operate(.stats), .operate(.metrics), .operate(.clients), .operate(.cluster)]

    /// Returns the line of `/api/VERB/TARGET?OPTION=VALUE`.
    ///
    /// - Throws: the reason why it is none.
    static func query(_ verb: String, target: ArraySlice<String>, options: [RequestTarget.Item])
        throws(MalformedQuery) -> String
    {
        guard let known = verbs.first(where: { $0.name == verb.uppercased() }) else {
            let names = verbs.map { $0.name.lowercased() }.sorted().joined(separator: ", ")
            throw MalformedQuery("nothing is asked with \"\(verb)\"; known: \(names)")
        }
        return try line(known.name, target: target, options: options)
    }

    /// Returns the line of `/live/TARGET?OPTION=VALUE`.
    ///
    /// - Parameter options: those of the address; the position that a stream goes on from replaces `from`.
    static func subscription(
        _ target: ArraySlice<String>, options: [RequestTarget.Item], from: String?, log: String?
    ) throws(MalformedQuery) -> String {
        var options = options
        if let from {
            options.removeAll { $0.name == "from" }
            options.append(RequestTarget.Item(name: "from", value: from))
        }
        if let log, !options.contains(where: { $0.name == "log" }) {
            options.append(RequestTarget.Item(name: "log", value: log))
        }
        return try line(Verb.follow(.subscribe).name, target: target, options: options)
    }

    private static func line(_ verb: String, target: ArraySlice<String>, options: [RequestTarget.Item])
        throws(MalformedQuery) -> String
    {
        var words = [verb]
        if !target.isEmpty {
            let text = target.joined(separator: "/")
            // The words of a target, such as those that end a connection, are none of a question.
            guard !text.contains(" ") else { throw MalformedQuery("a target has no space") }
            words.append(WireText.spelled(try checked(text, "the target")))
        }
        for option in options {
            guard !option.name.isEmpty, option.name.utf8.allSatisfy(RequestTarget.isOfWord) else {
                throw MalformedQuery("an option is NAME=VALUE, its name of letters, digits, - and _")
            }
            words.append("\(option.name)=\(WireText.spelled(try checked(option.value, option.name)))")
        }
        return words.joined(separator: " ")
    }

    private static func checked(_ text: String, _ name: String) throws(MalformedQuery) -> String {
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control && !isLineEnd($0) }) else {
            throw MalformedQuery("\(name) has a control character or the end of a line")
        }
        return text
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x2028 || scalar.value == 0x2029
    }
}

/// The reason why an address is no request, which is refused before anything is sent to the store.
struct MalformedQuery: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
