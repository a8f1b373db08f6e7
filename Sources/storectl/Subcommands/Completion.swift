import StoryCore

extension Subcommand {
    static let completion = Subcommand(
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
}

/// Completion scripts, from the table: verbs, what they work on, options and their values.
enum Completion {
    static var bash: String {
        """
        _storectl() {
            local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" verb="" each words=""
            for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                case "$each" in
                    \(verbs.joined(separator: "|"))) verb="$each"; break ;;
                esac
            done
            COMPREPLY=()
            case "$previous" in
        \(valueCases)
            esac
            case "$verb" in
        \(verbCases)
                *) words="\(verbs.joined(separator: " ")) \(globals)" ;;
            esac
            COMPREPLY=($(compgen -W "$words" -- "$word"))
            [[ ${#COMPREPLY[@]} == 1 && "${COMPREPLY[0]}" == */ ]] && compopt -o nospace 2>/dev/null
            return 0
        }
        complete -o default -F _storectl storectl
        """
    }

    static var zsh: String { "#compdef storectl\nautoload -U +X bashcompinit && bashcompinit\n" + bash }

    static var fish: String {
        let first = "__fish_use_subcommand"
        var lines = ["complete -c storectl -f"]
        for option in SubcommandTable.globalOptions { lines.append(fishOption(option, "")) }
        for subcommand in SubcommandTable.all {
            lines.append("complete -c storectl -n \(first) -a \(subcommand.name) -d \(quoted(subcommand.summary))")
            let seen = " -n '__fish_seen_subcommand_from \(subcommand.name)'"
            if !subcommand.operandChoices.isEmpty {
                lines.append(
                    "complete -c storectl\(seen) -a \(quoted(subcommand.operandChoices.joined(separator: " ")))")
            }
            for option in subcommand.options { lines.append(fishOption(option, seen)) }
            for field in fields(subcommand) { lines.append("complete -c storectl\(seen) -l \(field) -r") }
        }
        return lines.joined(separator: "\n")
    }

    private static var verbs: [String] { SubcommandTable.all.map(\.name) }

    private static var globals: String { words(SubcommandTable.globalOptions).joined(separator: " ") }

    /// What comes after an option with a value: its values, or names of files.
    private static var valueCases: String {
        let options = (SubcommandTable.globalOptions + SubcommandTable.all.flatMap(\.options)).filter {
            $0.value != nil
        }
        var seen: Set<String> = []
        let cases = options.filter { !$0.choices.isEmpty && seen.insert($0.name).inserted }.map { option in
            let choices = option.choices.joined(separator: " ")
            return "        --\(option.name)) COMPREPLY=($(compgen -W \"\(choices)\" -- \"$word\")); return 0 ;;"
        }
        let others = options.map { "--\($0.name)" }.filter { !seen.contains(String($0.dropFirst(2))) }
        let names = Set(others).sorted().joined(separator: "|")
        return (cases + ["        \(names)) return 0 ;;"]).joined(separator: "\n")
    }

    private static var verbCases: String {
        SubcommandTable.all.map { subcommand in
            let words = subcommand.operandChoices + words(subcommand.options) + fields(subcommand).map { "--" + $0 }
            return "        \(subcommand.name)) words=\"\((words + [globals]).joined(separator: " "))\" ;;"
        }.joined(separator: "\n")
    }

    private static func words(_ options: [Option]) -> [String] { options.map { "--\($0.name)" } }

    private static func fields(_ subcommand: Subcommand) -> [String] {
        guard subcommand.takesFields, let verb = Verb(rawValue: subcommand.name.uppercased()) else { return [] }
        return Kinds.fields(of: verb)
    }

    private static func fishOption(_ option: Option, _ condition: String) -> String {
        var line = "complete -c storectl\(condition) -l \(option.name)"
        if option.value != nil { line += " -r" }
        if !option.choices.isEmpty { line += " -a \(quoted(option.choices.joined(separator: " ")))" }
        return line + " -d \(quoted(option.summary))"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") + "'"
    }
}
