import Foundation
import Glibc
import TestSupport
import Testing

/// The keys of a terminal that are no letters: pasted text, keys that mean nothing, Ctrl-Z and the signal that it sends.
@Suite(.timeLimit(.minutes(10))) struct BrowseKeysTests {
    private func daemon() throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        let user = #"{"id":"007","name":"A","email":"a@example.org","prefecture":1}"#
        try daemon.client().expect("POST users \(user)")
        return daemon
    }

    @Test(arguments: [false, true], ["stories", nil])
    func `a stopped browser or page leaves the terminal to the shell, and takes it again`(isSent: Bool, kind: String?)
        throws
    {
        let daemon = try daemon()
        let words = kind.map { ["browse", $0] } ?? ["stats", "--watch"]
        // The shell has job control: it goes on when its job is stopped.
        let script = #"set -m; "$@"; echo "stopped $?"; read answer; fg; echo "ended $?"; read answer"#
        let folder = try Scratch()
        let started = "echo $$ > \(folder.path)/pid; exec \"$@\""
        let terminal = try Pseudoterminal(
            ["/bin/bash", "--norc", "-c", script, "bash", "/bin/sh", "-c", started, "sh", try Program.path("storectl")]
                + ["--socket", daemon.socket] + words,
            environment: ["TERM=xterm", "PATH=/usr/bin:/bin"] + SanitizerSettings.environment)
        func screen() -> VirtualScreen {
            var screen = VirtualScreen(columns: 80, rows: 24)
            screen.take(terminal.screen)
            return screen
        }
        let shown = kind == nil ? "q quit" : "nothing here"
        try terminal.waitFor(shown)
        expect(!terminal.isPlain && screen().isOnSecondPage)
        let pid = pid_t(Files.text(folder.place("pid")).filter(\.isNumber)) ?? 0
        if isSent { kill(pid, SIGTSTP) } else { terminal.type("\u{1A}") }
        try terminal.waitFor("stopped 148")
        expect(terminal.isPlain && !screen().isOnSecondPage && screen().hasCursor)
        terminal.type("\n")
        try terminal.waitFor("\u{1B}[?1049h")
        try terminal.waitFor(shown)
        expect(!terminal.isPlain && screen().isOnSecondPage)
        terminal.type("q")
        try terminal.waitFor("ended 0")
        expect(terminal.isPlain && !screen().isOnSecondPage && screen().hasCursor)
    }

    @Test func `a pasted text of several lines is the message, and presses no key of a list`() throws {
        let daemon = try daemon()
        let run = try BrowserRun(daemon, arguments: ["stories", "--as", "007"])
        try run.shows("nothing here")
        run.terminal.type("n")
        try run.shows("▸ title")
        run.terminal.type("\u{1B}[200~A title\u{1B}[201~\t\u{1B}[200~First\rsecond\r\u{1B}[201~\t\t007")
        // The user of the whole ID is found, and so none is offered that Enter would take.
        try run.shows("the user") { screen in
            screen.lines.indices.dropLast().contains { index in
                screen.lines[index].hasPrefix("▸ to ") && screen.lines[index].hasSuffix(" 007")
                    && screen.lines[index + 1].hasSuffix(" A")
            }
        }
        run.terminal.type("\r")
        try run.shows("posted: story-")
        let told = try daemon.client().rows("LIST stories")
        expect(told.count == 1 && told[0].contains(#""title":"A title","message":"First\nsecond\n""#), "\(told)")
        try run.shows("the story") { $0.lines[3].contains("A title") }
        run.terminal.type("\u{1B}[200~d\ry\r\u{1B}[201~\u{1B}[[A\u{1B}[38;2;255;48;2m\u{1B}d?")
        try run.shows("the keys")
        expect(try daemon.client().ask("COUNT stories").contains(#""count":1"#))
        run.terminal.type("?q")
        expect(try run.terminal.wait() == 0)
    }
}
