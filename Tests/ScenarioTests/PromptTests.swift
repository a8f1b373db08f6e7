import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// `storectl` as a person uses it: on a terminal.
    @Suite struct PromptTests {
        private static func begin(_ daemon: RunningDaemon, term: String = "xterm") throws -> Pseudoterminal {
            let environment = [
                "TERM=\(term)", "STORED_SOCKET=\(daemon.socket)", "HOME=\(daemon.folder.path)", "LC_ALL=C.UTF-8",
            ]
            let settings = SanitizerSettings.environment
            let terminal = try Pseudoterminal([try Program.path("storectl")], environment: environment + settings)
            try terminal.waitFor("Ctrl-D ends")
            try terminal.waitFor("story> ")
            return terminal
        }

        @Test func `requests are answered for a person, wrong ones too`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon)
            terminal.type(#"POST users {"id":"7","name":"Aya","email":"a@example.org","prefecture":3}"# + "\r")
            try terminal.waitFor("user-7  version 1  position 1")
            terminal.type("LIST users\r")
            try terminal.waitFor("signed up (UTC)")
            try terminal.waitFor("  Aya   a@example.org")
            terminal.type("GET users/7\r")
            try terminal.waitFor("prefecture          3")
            terminal.type("GET users/8\r")
            try terminal.waitFor("notFound")
            terminal.type("QUIT\r")
            #expect(try terminal.wait() == 0)
            #expect(terminal.isPlain, "the terminal is as it was")
        }

        @Test func `Tab completes, and what was typed before comes back, also in the next conversation`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon)
            terminal.type("COU\tsto\tsen\t7\r")
            try terminal.waitFor("count               0")
            terminal.type("\u{4}")
            #expect(try terminal.wait() == 0)
            #expect(Files.text(daemon.folder.place(".local/state/storykeep/history")).contains("COUNT"))
            #expect(Files.mode(daemon.folder.place(".local/state/storykeep/history")) == 0o600)
            let next = try Self.begin(daemon)
            next.type("\u{1B}[A\r")
            try next.waitFor("COUNT stories sender=7")
            try next.waitFor("count               0")
        }

        @Test func `what is typed while an answer is awaited counts, Ctrl-D too`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon)
            daemon.send(SIGSTOP)
            terminal.type("PING\r")
            try terminal.waitFor("PING\r\n")
            // Time enough for the line to have been taken, and for what comes now to be typed behind it.
            usleep(100_000)
            terminal.type("\u{4}")
            usleep(100_000)
            daemon.send(SIGCONT)
            #expect(try terminal.wait() == 0)
            #expect(terminal.isPlain)
        }

        @Test func `what a subscription pushes is shown above the line that is typed`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon)
            terminal.type("SUBSCRIBE events\r")
            try terminal.waitFor("subscription        1")
            terminal.type("PI")
            try terminal.waitFor("PI")
            #expect(try daemon.client().ask(#"APPEND note-1 {"type":"A","data":{}}"#).hasPrefix("+"))
            try terminal.waitFor(#">1 {"position":1,"stream":"note-1""#)
            try terminal.waitFor("PI")
            #expect(terminal.screen.hasSuffix("\r\u{1B}[Kstory> PI"), "prompt and line stand there once")
            terminal.type("NG\r")
            try terminal.waitFor("position            1")
        }

        @Test func `a dumb terminal is sent no sequence, and no text turns a line`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon, term: "dumb")
            terminal.type("SUBSCRIBE events\r")
            try terminal.waitFor("subscription        1")
            terminal.type("PI")
            try terminal.waitFor("PI")
            try daemon.client().expect(#"APPEND note-1 {"type":"A","data":"x\#u{202E}y"}"#)
            try terminal.waitFor(#""data":"x\#u{FFFD}y"}"#)
            terminal.type("NG\r")
            try terminal.waitFor("position            1")
            terminal.type("GET events/note-1\rREAD events/note-1\r")
            try terminal.waitFor("note-1@1  A  \"x\u{FFFD}y\"")
            terminal.type("\u{4}")
            #expect(try terminal.wait() == 0)
            #expect(!terminal.screen.contains("\u{1B}") && !terminal.screen.unicodeScalars.contains("\u{202E}"))
        }

        @Test func `an end of the store, and Ctrl-C, leave the terminal as it was`() throws {
            let daemon = try RunningDaemon()
            let first = try Self.begin(daemon)
            first.type("\u{3}")
            #expect(try first.wait() == 130)
            #expect(first.isPlain)
            let second = try Self.begin(daemon)
            second.type("PIN")
            #expect(try daemon.stop() == .code(0))
            #expect(try second.wait() == 3)
            #expect(second.isPlain)
        }
    }
}
