import StoryCore

/// The completion scripts, generated from the descriptions of the subcommands: verbs, operands, options and their
/// values. The store's names come from the subcommand `complete`.
struct Completion {
    static let description = CommandDescription(
        name: "completion", summary: "prints a script that completes storectl's words in a shell",
        operand: .required("bash|zsh|fish"), operandChoices: ["bash", "zsh", "fish"],
        examples: ["source <(storectl completion bash)", "storectl completion fish | source"])

    private let commands: CommandList

    init(_ commands: CommandList) { self.commands = commands }

    /// Does the work of the command `completion`.
    func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let shell = try invocation.arguments.operand("bash|zsh|fish")
        switch shell {
        case "bash": try invocation.output.line(bash)
        case "zsh": try invocation.output.line(zsh)
        case "fish": try invocation.output.line(fish)
        default: throw .usage("no completions for \"\(shell)\"; there are some for bash, zsh and fish")
        }
        return .done
    }

    private var bash: String {
        """
        _storectl_words() {
            local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
            local verb="" kind="" each words=""
            for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                if [[ -z "$verb" ]]; then
                    case "$each" in
                        \(verbs.joined(separator: "|"))) verb="$each" ;;
                    esac
                elif [[ -z "$kind" ]]; then
                    case "$each" in
        \(kindCases)
                    esac
                fi
            done
            COMPREPLY=()
            case "$previous:$kind" in
        \(valueCases)
            esac
            case "$verb:$kind" in
        \(verbCases)
                *) words="\(verbs.joined(separator: " ")) \(globals)" ;;
            esac
            COMPREPLY=($(compgen -W "$words" -- "$word"))
            return 0
        }
        _storectl() {
            local names
            _storectl_words
            names=($("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
            [[ ${#names[@]} != 0 && "${COMPREPLY[*]}" == "${COMP_WORDS[COMP_CWORD]}" ]] && COMPREPLY=()
            COMPREPLY+=("${names[@]}")
            [[ ${#COMPREPLY[@]} == 1 && "${COMPREPLY[0]}" == *[/-] ]] && compopt -o nospace 2>/dev/null
            return 0
        }
        complete -o default -F _storectl storectl
        """
    }

    private var zsh: String { "#compdef storectl\nautoload -U +X bashcompinit && bashcompinit\n" + bash }

    private var fish: String {
        let first = "__fish_use_subcommand"
        var lines = [
            "function __storectl_names",
            "    storectl complete -- (commandline -opc | tail -n +2) (commandline -ct) 2>/dev/null",
            "end", "complete -c storectl -f", "complete -c storectl -n 'not \(first)' -a '(__storectl_names)'",
        ]
        for option in Option.ofEveryVerb { lines.append(fishOption(option, "")) }
        for command in commands.all {
            lines.append("complete -c storectl -n \(first) -a \(command.name) -d \(quoted(command.summary))")
            let seen = " -n '__fish_seen_subcommand_from \(command.name)'"
            let words = operands(command)
            if !words.isEmpty {
                lines.append("complete -c storectl\(seen) -a \(quoted(words.joined(separator: " ")))")
            }
            for option in command.options { lines.append(fishOption(option, seen)) }
            for field in fields(command) {
                lines.append("complete -c storectl\(seen) -l \(field) -r -a '(__storectl_names)'")
            }
        }
        return lines.joined(separator: "\n")
    }

    private var verbs: [String] { commands.all.map(\.name) }

    private var globals: String { words(Option.ofEveryVerb).joined(separator: " ") }

    private var kindCases: String {
        Kinds.names.map { "                \($0)|\($0)/*) kind=\($0) ;;" }.joined(separator: "\n")
    }

    /// The cases of options with a value: the option's values, those of the kind if one is named, or file names.
    private var valueCases: String {
        let options = (Option.ofEveryVerb + commands.all.flatMap(\.options)).filter { $0.value != nil }
        var cases: [String] = []
        for kind in Catalogue.standard.kinds {
            for (name, values, isList) in values(kind) {
                cases.append(valueCase(name, of: kind.name, values, isList: isList))
            }
        }
        var seen: Set<String> = []
        for option in options where !option.choices.isEmpty && seen.insert(option.name).inserted {
            cases.append(valueCase(option.name, of: "*", option.choices, isList: option.value == "A,B"))
        }
        let forms = commands.all.flatMap { fields($0) }
        let others = (options.map(\.name) + forms).filter { !seen.contains($0) }.distinct.sorted()
        return (cases + ["        \(others.map { "--\($0):*" }.joined(separator: "|"))) return 0 ;;"])
            .joined(separator: "\n")
    }

    /// Returns the values of a kind's own options, filters and fields, as far as they can be listed.
    private func values(_ kind: KindSchema) -> [(name: String, values: [String], isList: Bool)] {
        var found = [("sort", kind.sorts.map(\.name), false), ("columns", Kinds.columns(of: kind).map(\.name), true)]
        for field in kind.fields {
            if case .choice(let words) = field.type { found.append((field.name, words, false)) }
        }
        return found
    }

    /// Returns the case of one option.
    ///
    /// - Parameter isList: true when the option takes several values with commas between them.
    private func valueCase(
        _ option: String, of kind: String, _ values: [String], isList: Bool = false
    ) -> String {
        let words = values.joined(separator: " ")
        let reply =
            isList
            ? #"$(compgen -P "${word%"${word##*,}"}" -W "\#(words)" -- "${word##*,}")"#
            : "$(compgen -W \"\(words)\" -- \"$word\")"
        return "        --\(option):\(kind)) COMPREPLY=(\(reply)); return 0 ;;"
    }

    private var verbCases: String {
        commands.all.flatMap { command in
            kinds(command).map { kind in
                verbCase(command, of: kind.name, options(command, kind), fields(command, [kind]))
            } + [
                verbCase(command, of: "*", operands(command) + words(command.options), fields(command))
            ]
        }.joined(separator: "\n")
    }

    private func verbCase(
        _ command: CommandDescription, of kind: String, _ words: [String], _ fields: [String]
    ) -> String {
        let all = words + fields.map { "--" + $0 } + [globals]
        return "        \(command.name):\(kind)) words=\"\(all.joined(separator: " "))\" ;;"
    }

    /// Returns the kinds that a subcommand works on.
    private func kinds(_ command: CommandDescription) -> [KindSchema] {
        Catalogue.standard.kinds.filter { kind in
            command.operandChoices.contains { $0 == kind.name || $0 == kind.name + "/" }
        }
    }

    /// Returns the options of a subcommand for one kind, without the filters of other kinds.
    private func options(_ command: CommandDescription, _ kind: KindSchema) -> [String] {
        let own = kind.filters.map(\.name)
        let others = Kinds.filters.map(\.name).filter { !own.contains($0) }
        return words(command.options.filter { !others.contains($0.name) })
    }

    /// Returns the possible operands; of `help`, the verbs and the error codes.
    private func operands(_ command: CommandDescription) -> [String] {
        command.name == Help.description.name ? verbs + ErrorCode.allCases.map(\.rawValue) : command.operandChoices
    }

    private func words(_ options: [Option]) -> [String] { options.map { "--\($0.name)" } }

    /// Returns the fields of a subcommand's forms.
    private func fields(_ command: CommandDescription) -> [String] { fields(command, kinds(command)) }

    private func fields(_ command: CommandDescription, _ kinds: [KindSchema]) -> [String] {
        guard command.takesFields, let verb = command.verb else { return [] }
        return kinds.flatMap { $0.formFields(of: verb) }.distinct
    }

    private func fishOption(_ option: Option, _ condition: String) -> String {
        var line = "complete -c storectl\(condition) -l \(option.name)"
        if option.value != nil { line += " -r -a '(__storectl_names)'" }
        if !option.choices.isEmpty { line += " -a \(quoted(option.choices.joined(separator: " ")))" }
        return line + " -d \(quoted(option.summary))"
    }

    private func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") + "'"
    }
}
