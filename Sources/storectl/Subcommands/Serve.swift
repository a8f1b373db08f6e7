import Glibc
import StoryClient

/// The subcommand `serve`: the page of a store for browsers, by `storeserve` in place of this program.
enum ServeRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "serve", summary: "serves a web page of the store to browsers of this machine", operand: .none,
            options: [
                Option("listen", "HOST:PORT", "127.0.0.1 or [::1], and a port; 0: any (default 127.0.0.1:7117)"),
                Option("token-file", "PATH", "the file of the page's token, made if there is none; else a new token"),
                Option("open", nil, "opens the page in the browser"),
            ],
            details: [
                "It prints the address of the page, with a token that lets a browser in, and serves until it is stopped.",
                "The page shows what the user who runs it may read, and writes nothing. It is for this machine alone;",
                "from another one: ssh -L 7117:127.0.0.1:7117 HOST, and the same address there.",
                "/api/VERB/TARGET?OPTION=VALUE answers with JSON, /live/events with server-sent events, /metrics with",
                "figures; docs/page.md describes them.",
            ],
            examples: ["storectl serve --open", "storectl serve --listen 127.0.0.1:0 --token-file ~/.storykeep-token"]),
        run: { invocation throws(CommandError) in
            var words = [program()]
            for name in ["listen", "token-file"] {
                if let value = invocation.arguments.value(name) { words += ["--\(name)", value] }
            }
            if invocation.arguments.has("open") { words.append("--open") }
            if let socket = try invocation.reachedSocket() { words += ["--socket", socket] }
            var arguments = words.map { strdup($0) } + [nil]
            execvp(words[0], &arguments)
            throw .system(
                "\(words[0]) does not start: \(String(cString: strerror(errno))); it is installed with storectl")
        })

    /// Returns the program beside this one, else its name, for the search path.
    private static func program() -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        let own = String(decoding: path[..<max(count, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let beside = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "storeserve"
        return access(String(beside), X_OK) == 0 ? String(beside) : "storeserve"
    }
}
