import StoryCore

/// The help text and the manual page of `stored`.
package enum DaemonHelp {
    /// A one-line description of the program.
    package static let summary = "the Storykeep daemon: it owns one data directory and serves one Unix socket"
    /// The synopsis of the command line.
    package static let usage = "stored [--NAME VALUE]… [--config FILE] [--check | --print-config | --create]"
    /// The description: logging, signals, exit codes and a first try, a paragraph each.
    package static let paragraphs = [
        "It logs one line per occurrence to standard error and says \"ready\" once it serves. "
            + "SIGTERM, SIGINT and SIGHUP end it: acknowledged writes are on disk, connections are drained, it exits 0.",
        "Exit: 0 ended by a signal, or made the log, 2 the settings are wrong or the data directory or the socket cannot be used, "
            + "3 there is no room, 5 the store is damaged or the disk failed.",
        "Try it: storectl --socket PATH stats, or nc -U PATH (Debian's netcat-openbsd) and type HELP.",
    ]

    /// All command-line options, each with its summary.
    package static var options: [(usage: String, summary: String)] {
        ServerSetting.allCases.map { ("--\($0.rawValue) \($0.placeholder)", $0.summary) } + [
            ("--config FILE", "the same as lines of NAME = VALUE"),
            ("--create", "make the log that --cluster and --log name out of the data directory, and end"),
            ("--check", "check the settings, and end"),
            ("--print-config", "print the settings as a configuration file with everything explained"),
            ("--man", "print the manual page in the language of man"),
            ("-V, --version", "print the version"), ("-h, --help", "print this"),
        ]
    }

    /// The output of `--help`.
    package static var text: String {
        let width = options.map(\.usage.count).max() ?? 0
        let lines = options.map { option in
            "  " + option.usage + String(repeating: " ", count: width - option.usage.count + 2) + option.summary
        }
        return "stored: \(summary)\n\nusage: \(usage)\n\n" + lines.joined(separator: "\n") + "\n\n"
            + paragraphs.map { Self.wrapped($0) }.joined(separator: "\n") + "\n"
    }

    /// The manual page, in the language of man.
    package static var manual: String {
        var lines = ManualPage.title("stored", section: 8, summary)
        lines += [".SH SYNOPSIS", ManualPage.escaped(usage), ".SH DESCRIPTION"]
        for text in paragraphs { lines += [".PP", ManualPage.escaped(text)] }
        lines += [".SH OPTIONS"] + ManualPage.options(options) + [".SH SEE ALSO", ".BR storectl (1)"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Wraps a text into lines of at most 110 characters.
    private static func wrapped(_ text: String) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= 110 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n")
    }
}
