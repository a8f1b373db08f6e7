import StoryCore

/// The completion scripts, generated from the table: verbs, operands, options and their values. The store's names come
/// from the subcommand `complete`.
enum Completion {
    static let subcommand = Subcommand(
        name: "completion", summary: "prints a script that completes storectl's words in a shell",
        operand: .required("bash|zsh|fish"), operandChoices: ["bash", "zsh", "fish"],
        examples: ["source <(storectl completion bash)", "storectl completion fish | source"],
        run: { invocation throws(CommandError) in
            let shell = try invocation.arguments.operand("bash|zsh|fish")
            switch shell {
            case "bash": try invocation.output.line(Completion.bash)
            case "zsh": try invocation.output.line(Completion.zsh)
            case "fish": try invocation.output.line(Completion.fish)
            default: throw .usage("no completions for \"\(shell)\"; there are some for bash, zsh and fish")
            }
            return .done
        })

    static var bash: String {
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

    static var zsh: String { "#compdef storectl\nautoload -U +X bashcompinit && bashcompinit\n" + bash }

    static var fish: String {
        let first = "__fish_use_subcommand"
        var lines = [
            "function __storectl_names",
            "    storectl complete -- (commandline -opc | tail -n +2) (commandline -ct) 2>/dev/null",
            "end", "complete -c storectl -f", "complete -c storectl -n 'not \(first)' -a '(__storectl_names)'",
        ]
        for option in SubcommandTable.globalOptions { lines.append(fishOption(option, "")) }
        for subcommand in SubcommandTable.all {
            lines.append("complete -c storectl -n \(first) -a \(subcommand.name) -d \(quoted(subcommand.summary))")
            let seen = " -n '__fish_seen_subcommand_from \(subcommand.name)'"
            let operands = subcommand.completedOperands
            if !operands.isEmpty {
                lines.append("complete -c storectl\(seen) -a \(quoted(operands.joined(separator: " ")))")
            }
            for option in subcommand.options { lines.append(fishOption(option, seen)) }
            for field in fields(subcommand) {
                lines.append("complete -c storectl\(seen) -l \(field) -r -a '(__storectl_names)'")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static var verbs: [String] { SubcommandTable.all.map(\.name) }

    private static var globals: String { words(SubcommandTable.globalOptions).joined(separator: " ") }

    private static var kindCases: String {
        Kinds.names.map { "                \($0)|\($0)/*) kind=\($0) ;;" }.joined(separator: "\n")
    }

    /// The cases of options with a value: the option's values, those of the kind if one is named, or file names.
    private static var valueCases: String {
        let options = (SubcommandTable.globalOptions + SubcommandTable.all.flatMap(\.options)).filter {
            $0.value != nil
        }
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
        let fields = SubcommandTable.all.flatMap(fields)
        let others = (options.map(\.name) + fields).filter { !seen.contains($0) }.distinct.sorted()
        return (cases + ["        \(others.map { "--\($0):*" }.joined(separator: "|"))) return 0 ;;"])
            .joined(separator: "\n")
    }

    /// Returns the values of a kind's own options, filters and fields, as far as they can be listed.
    private static func values(_ kind: KindSchema) -> [(name: String, values: [String], isList: Bool)] {
        var found = [("sort", kind.sorts.map(\.name), false), ("columns", Kinds.columns(of: kind).map(\.name), true)]
        for field in kind.fields {
            if case .choice(let words) = field.type { found.append((field.name, words, false)) }
        }
        return found
    }

    /// Returns the case of one option.
    ///
    /// - Parameter isList: true when the option takes several values with commas between them.
    private static func valueCase(
        _ option: String, of kind: String, _ values: [String], isList: Bool = false
    ) -> String {
        let words = values.joined(separator: " ")
        let reply =
            isList
            ? #"$(compgen -P "${word%"${word##*,}"}" -W "\#(words)" -- "${word##*,}")"#
            : "$(compgen -W \"\(words)\" -- \"$word\")"
        return "        --\(option):\(kind)) COMPREPLY=(\(reply)); return 0 ;;"
    }

    private static var verbCases: String {
        SubcommandTable.all.flatMap { subcommand in
            kinds(subcommand).map { kind in
                verbCase(subcommand, of: kind.name, options(subcommand, kind), fields(subcommand, [kind]))
            } + [
                verbCase(
                    subcommand, of: "*", subcommand.completedOperands + words(subcommand.options), fields(subcommand))
            ]
        }.joined(separator: "\n")
    }

    private static func verbCase(
        _ subcommand: Subcommand, of kind: String, _ words: [String], _ fields: [String]
    ) -> String {
        let all = words + fields.map { "--" + $0 } + [globals]
        return "        \(subcommand.name):\(kind)) words=\"\(all.joined(separator: " "))\" ;;"
    }

    /// Returns the kinds that a subcommand works on.
    private static func kinds(_ subcommand: Subcommand) -> [KindSchema] {
        Catalogue.standard.kinds.filter { kind in
            subcommand.operandChoices.contains { $0 == kind.name || $0 == kind.name + "/" }
        }
    }

    /// Returns the options of a subcommand for one kind, without the filters of other kinds.
    private static func options(_ subcommand: Subcommand, _ kind: KindSchema) -> [String] {
        let own = kind.filters.map(\.name)
        let others = Kinds.filters.map(\.name).filter { !own.contains($0) }
        return words(subcommand.options.filter { !others.contains($0.name) })
    }

    private static func words(_ options: [Option]) -> [String] { options.map { "--\($0.name)" } }

    /// Returns the fields of a subcommand's forms.
    private static func fields(_ subcommand: Subcommand) -> [String] { fields(subcommand, kinds(subcommand)) }

    private static func fields(_ subcommand: Subcommand, _ kinds: [KindSchema]) -> [String] {
        guard subcommand.takesFields, let verb = Verb(name: subcommand.name.uppercased()) else { return [] }
        return kinds.flatMap { $0.formFields(of: verb) }.distinct
    }

    private static func fishOption(_ option: Option, _ condition: String) -> String {
        var line = "complete -c storectl\(condition) -l \(option.name)"
        if option.value != nil { line += " -r -a '(__storectl_names)'" }
        if !option.choices.isEmpty { line += " -a \(quoted(option.choices.joined(separator: " ")))" }
        return line + " -d \(quoted(option.summary))"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") + "'"
    }
}
