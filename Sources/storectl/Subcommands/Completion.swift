extension Subcommand {
    static let completion = Subcommand(
        name: "completion", summary: "prints a script that completes storectl's words in a shell",
        operand: .required("bash|zsh|fish"),
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

/// Completion scripts, from the table.
enum Completion {
    static var bash: String {
        """
        _storectl() {
            local word="${COMP_WORDS[COMP_CWORD]}" verb="" each
            for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                case "$each" in
                    \(verbs.joined(separator: "|"))) verb="$each"; break ;;
                esac
            done
            case "$verb" in
        \(cases)
                *) COMPREPLY=($(compgen -W "\(verbs.joined(separator: " ")) \(globals)" -- "$word")) ;;
            esac
        }
        complete -o default -F _storectl storectl
        """
    }

    static var zsh: String { "autoload -U +X bashcompinit && bashcompinit\n" + bash }

    static var fish: String {
        let first = "__fish_use_subcommand"
        var lines = ["complete -c storectl -f"]
        for option in SubcommandTable.globalOptions { lines.append(fishOption(option, "")) }
        for subcommand in SubcommandTable.all {
            lines.append("complete -c storectl -n \(first) -a \(subcommand.name) -d \(quoted(subcommand.summary))")
            let seen = " -n '__fish_seen_subcommand_from \(subcommand.name)'"
            for option in subcommand.options { lines.append(fishOption(option, seen)) }
        }
        return lines.joined(separator: "\n")
    }

    private static var verbs: [String] { SubcommandTable.all.map(\.name) }

    private static var globals: String { words(SubcommandTable.globalOptions) }

    private static var cases: String {
        SubcommandTable.all.map { subcommand in
            let words = [words(subcommand.options), globals].filter { !$0.isEmpty }.joined(separator: " ")
            return "        \(subcommand.name)) COMPREPLY=($(compgen -W \"\(words)\" -- \"$word\")) ;;"
        }.joined(separator: "\n")
    }

    private static func words(_ options: [Option]) -> String {
        options.map { "--\($0.name)" }.joined(separator: " ")
    }

    private static func fishOption(_ option: Option, _ condition: String) -> String {
        "complete -c storectl\(condition) -l \(option.name)\(option.value == nil ? "" : " -r") -d \(quoted(option.summary))"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") + "'"
    }
}
