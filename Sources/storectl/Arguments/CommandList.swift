import StoryCore
import StoryWire

/// The descriptions of all subcommands, in the order of the help.
struct CommandList: Sendable {
    let all: [CommandDescription]
    /// The rules by which words are options, operands or values.
    let grammar: Arguments.Grammar

    init(_ all: [CommandDescription]) {
        self.all = all
        let options = Option.ofEveryVerb + all.flatMap(\.options)
        grammar = Arguments.Grammar(
            switches: CommandList.switches(options),
            switchesOfVerbs: Dictionary(
                all.map { ($0.name, CommandList.switches(Option.ofEveryVerb + $0.options)) },
                uniquingKeysWith: { first, _ in first }),
            repeated: Set(options.filter(\.isRepeated).map(\.name)),
            quoting: Set(all.filter(\.takesCommandLine).map(\.name)))
    }

    private static func switches(_ options: [Option]) -> Set<String> {
        Set(options.filter { $0.value == nil }.map(\.name))
    }

    func find(_ name: String) -> CommandDescription? { all.first { $0.name == name } }

    /// Returns the message for a verb that the tool does not have.
    ///
    /// - Parameter others: other words that may have been meant.
    func unknown(_ name: String, besides others: [String] = []) -> String {
        if let meant = find(name.lowercased()) {
            return "no verb \"\(name)\"; it is \"\(meant.name)\", in small letters"
        }
        if let verb = Verb(name: name.uppercased()), let shape = Kinds.table.shape(of: verb) {
            if let other = all.first(where: { $0.request == verb }) {
                return "no verb \"\(name)\"; \"storectl \(other.name)\" \(verb.name.lowercased())s"
            }
            return "no verb \"\(name)\" here; send the request itself: echo '\(shape.example)' | storectl --json pipe"
        }
        let usual = name == "ls" ? "list" : nil
        let nearest = usual ?? NearestName.find(name.utf8, among: all.map(\.name) + others)
        let hint = nearest.map { "; the nearest is \"\($0)\"" } ?? ""
        return "no verb \"\(name)\"\(hint); \"storectl help\" lists them all"
    }
}
