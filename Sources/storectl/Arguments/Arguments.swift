/// The words of a command line: the verb, what it works on, and the options, wherever they stand.
struct Arguments {
    /// The first word that is no option.
    private(set) var verb: String?
    /// The other words that are no options.
    private(set) var operands: [String] = []
    /// The options in their order; a switch has an empty value.
    private(set) var options: [(name: String, value: String)] = []

    /// - Parameter switches: the options that take no value; every other one takes the next word, or what follows `=`.
    init(_ words: [String], switches: Set<String>) throws(CommandError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { add(word) }
                return
            }
            if word == "-h" {
                if !has("help") { options.append(("help", "")) }
                continue
            }
            guard word.hasPrefix("--") else {
                add(word)
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard !has(name) else { throw .usage("--\(name) is given twice; give it once") }
            if parts.count == 2 {
                guard !switches.contains(name) else {
                    throw .usage("--\(name) takes no value; leave =\(parts[1]) away")
                }
                options.append((name, String(parts[1])))
            } else if switches.contains(name) {
                options.append((name, ""))
            } else if let value = rest.first, !value.hasPrefix("--") {
                options.append((name, rest.removeFirst()))
            } else {
                throw .usage("--\(name) needs a value; write --\(name)=VALUE if the value begins with --")
            }
        }
    }

    func has(_ name: String) -> Bool { options.contains { $0.name == name } }

    /// The option's value; nil when it is not given.
    func value(_ name: String) -> String? { options.first { $0.name == name }?.value }

    /// The only operand, which has this name in the usage.
    func operand(_ name: String) throws(CommandError) -> String {
        guard let first = operands.first else {
            throw .usage("\(verb ?? "") needs \(name); see \"storectl help \(verb ?? "")\"")
        }
        return first
    }

    private mutating func add(_ word: String) {
        if verb == nil { verb = word } else { operands.append(word) }
    }
}
