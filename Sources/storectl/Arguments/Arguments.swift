import StoryCore

/// The words of a command line: the verb, its operands, and the options, in any order.
struct Arguments {
    /// The rules by which words are options, operands or values.
    struct Grammar: Sendable {
        /// The options of any verb that take no value; every other one takes the next word, or the text after `=`.
        let switches: Set<String>
        /// Those of each verb, behind which a switch of another one is an option like any: models name their fields freely.
        let switchesOfVerbs: [String: Set<String>]
        /// The options that may be given more than once.
        let repeated: Set<String>
        /// The verbs whose operands are another command line.
        let quoting: Set<String>

        /// Returns whether an option takes no value.
        func isSwitch(_ name: String, of verb: String?) -> Bool {
            (verb.flatMap { switchesOfVerbs[$0] } ?? switches).contains(name)
        }
    }

    /// The first word that is not an option.
    private(set) var verb: String?
    /// The other words that are not options.
    private(set) var operands: [String] = []
    /// The options in their order; a switch has an empty value.
    private(set) var options: [(name: String, value: String)] = []
    /// The option that lacks its value; nil when each has one.
    private(set) var lacking: String?
    /// True when the tool's version is requested: after a verb, `--version` is the version that a stream must have.
    private(set) var asksForVersion = false

    /// Splits a command line into its parts.
    init(_ words: [String], _ grammar: Grammar) throws(CommandError) {
        let repeated = grammar.repeated
        var rest = words[...]
        while let word = rest.popFirst() {
            // The words of another command line are completed; they are none of this one's options.
            if word == "--" || verb.map(grammar.quoting.contains) == true && !operands.isEmpty {
                if word != "--" { add(word) }
                for word in rest { add(word) }
                return
            }
            if word == "-h" {
                if !has("help") { options.append(("help", "")) }
                continue
            }
            if verb == nil, word == "-V" || word == "--version" && rest.isEmpty {
                asksForVersion = true
                continue
            }
            guard word.hasPrefix("--") else {
                add(word)
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard !has(name) || repeated.contains(name) else { throw .usage("--\(name) is given twice; give it once") }
            if parts.count == 2 {
                guard !grammar.isSwitch(name, of: verb) else {
                    throw .usage("--\(name) takes no value; remove =\(parts[1])")
                }
                options.append((name, String(parts[1])))
            } else if grammar.isSwitch(name, of: verb) {
                options.append((name, ""))
            } else if let value = rest.first, !value.hasPrefix("--") {
                options.append((name, rest.removeFirst()))
            } else {
                lacking = lacking ?? name
            }
        }
    }

    /// Refuses an option that is not among these.
    ///
    /// - Parameters:
    ///   - whose: the verb or program that has no such option.
    ///   - page: the command that explains more.
    func checkNames(_ known: [Option], of whose: String, see page: String) throws(CommandError) {
        let known = known.map(\.name)
        guard let wrong = (options.map(\.name) + [lacking].compactMap(\.self)).first(where: { !known.contains($0) })
        else { return }
        let nearest = NearestName.find(wrong.utf8, among: known).map { "; the nearest is --\($0)" } ?? ""
        throw .usage("\(whose) has no option --\(wrong)\(nearest); see \"\(page)\"")
    }

    /// Refuses an option without its value.
    func checkValues() throws(CommandError) {
        guard let lacking else { return }
        throw .usage("--\(lacking) needs a value; write --\(lacking)=VALUE if the value begins with --")
    }

    func has(_ name: String) -> Bool { options.contains { $0.name == name } }

    /// Returns the option's value; nil when it is not given.
    func value(_ name: String) -> String? { options.first { $0.name == name }?.value }

    /// Returns the values of an option that may be given more than once.
    func values(_ name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

    /// Returns the first operand, which has this name in the usage; throws when there is none.
    func operand(_ name: String) throws(CommandError) -> String {
        guard let first = operands.first else {
            throw .usage("\(verb ?? "") needs \(name); see \"storectl help \(verb ?? "")\"")
        }
        return first
    }

    /// Gives an option another value, if it is given.
    mutating func replace(_ name: String, _ value: String) {
        guard let index = options.firstIndex(where: { $0.name == name }) else { return }
        options[index].value = value
    }

    /// Gives an option a value; one that it has is replaced.
    mutating func give(_ name: String, _ value: String) {
        if has(name) { replace(name, value) } else { options.append((name, value)) }
    }

    private mutating func add(_ word: String) {
        if verb == nil { verb = word } else { operands.append(word) }
    }
}
