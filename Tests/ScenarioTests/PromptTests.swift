import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// `storectl` as a person uses it: on a terminal.
    @Suite struct PromptTests {
        private static func begin(
            _ daemon: RunningDaemon, term: String = "xterm", locale: String? = "C.UTF-8"
        ) throws -> Pseudoterminal {
            let environment =
                ["TERM=\(term)", "STORED_SOCKET=\(daemon.socket)", "HOME=\(daemon.folder.path)"]
                + (locale.map { ["LC_ALL=\($0)"] } ?? [])
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
            expect(try terminal.wait() == 0)
            expect(terminal.isPlain, "the terminal is as it was")
        }

        @Test(arguments: ["C", "POSIX", "C.UTF-8", "de_DE.ISO-8859-1", nil])
        func `every character is sent and comes back, in any locale`(locale: String?) throws {
            let daemon = try RunningDaemon()
            let name = "José あ e\u{301} 👩‍👩‍👧 ß\u{FE0F} محمد"
            let line = #"POST users {"id":"7","name":"\#(name)","email":"a@example.org","prefecture":3}"#
            let terminal = try Self.begin(daemon, locale: locale)
            terminal.type(line + "\r")
            try terminal.waitFor("user-7  version 1  position 1")
            terminal.type(bytes: Array(#"APPEND note-1 {"type":"A","data":"Jos"#.utf8) + [0xE9, 0x22, 0x7D, 0x0D])
            try terminal.waitFor("no text in UTF-8")
            // Longer than any buffer, with characters of four bytes.
            let long = String(repeating: "🌀", count: 60) + String(repeating: "a", count: 1_500)
            terminal.type(#"APPEND note-1 {"type":"A","data":"\#(long)"}"# + "\r")
            try terminal.waitFor("note-1  version 1  position 2")
            terminal.type("exit\r")
            expect(try terminal.wait() == 0)
            expect(try daemon.client().ask("GET users/7").contains("\"name\":\"\(name)\""))
            expect(try daemon.client().rows("READ events/note-1").contains { $0.contains(long) })
            let next = try Self.begin(daemon, locale: locale)
            next.type("\u{1B}[A\u{1B}[A\u{1B}[A\r")
            try next.waitFor("exists: ")
            expect(Files.text(daemon.folder.place(".local/state/storykeep/history")).hasPrefix(line + "\n"))
        }

        @Test func `a typo never ends the conversation, and words of other programs are known`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon)
            for (line, answer) in [
                ("ls", "there is no verb"), ("{", "(column 1)"), ("{", "(column 1)"), ("{", "(column 1)"),
                ("{", "(column 1)"),
                (#"APPEND n-1 {"type":"T","data":{"a":[1,2,}}"#, "(column 41)"), ("help", "One row, now or as it was."),
                ("?", "exit"), ("? append", "APPEND note-1"), ("clear", "\u{1B}[2J"), ("PING", "position            0"),
            ] {
                terminal.type(line + "\r")
                try terminal.waitFor(answer)
            }
            terminal.type("exit\r")
            expect(try terminal.wait() == 0)
        }

        @Test func `Tab completes, and what was typed before comes back, also in the next conversation`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon)
            terminal.type("COU\tsto\tsen\t7\r")
            try terminal.waitFor("count               0")
            terminal.type("\u{4}")
            expect(try terminal.wait() == 0)
            expect(Files.text(daemon.folder.place(".local/state/storykeep/history")).contains("COUNT"))
            expect(Files.mode(daemon.folder.place(".local/state/storykeep/history")) == 0o600)
            let next = try Self.begin(daemon)
            next.type("\u{1B}[A\r")
            try next.waitFor("COUNT stories sender=7")
            try next.waitFor("count               0")
        }

        /// Types, and presses Tab until a text is shown: on a busy machine the moment may be over before the store answers.
        private static func complete(_ typed: String, _ text: String, on terminal: Pseudoterminal) throws {
            terminal.type(typed)
            if !typed.isEmpty { try terminal.waitFor(typed) }
            let before = terminal.screen.utf8.count
            try until("Tab shows \(text)") {
                let drawn = terminal.screen.utf8.count
                terminal.type("\t")
                try until("the line is drawn") {
                    try terminal.waitFor("")
                    return terminal.screen.utf8.count > drawn
                }
                return String(decoding: terminal.screen.utf8.dropFirst(before), as: UTF8.self).contains(text)
            }
        }

        @Test func `Tab knows IDs, streams and types of events, and asks the store no longer than a moment`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for id in ["71", "72", "8"] {
                try client.expect(#"POST users {"id":"\#(id)","name":"A","email":"\#(id)@example.org","prefecture":3}"#)
            }
            try client.expect(#"APPEND note-1 {"type":"Wrote","data":1}"#)
            try client.expect(#"POST stories {"id":"12","title":"T","message":"M","sender":"71","recipient":"8"}"#)
            let terminal = try Self.begin(daemon)
            try Self.complete("GET stories/", "GET stories/12 ", on: terminal)
            terminal.type("\r")
            try terminal.waitFor("sender              71")
            try Self.complete("GET users/7", "users/71  users/72", on: terminal)
            terminal.type("2\r")
            try terminal.waitFor("72@example.org")
            try Self.complete("COUNT stories sender=8", "sender=8 ", on: terminal)
            try Self.complete("recipient=7", "71  72", on: terminal)
            terminal.type("1\r")
            try terminal.waitFor("count               0")
            try Self.complete("READ events/no", "events/note-", on: terminal)
            try Self.complete("", "events/note-1 ", on: terminal)
            try Self.complete("types=Wr", "types=Wrote ", on: terminal)
            terminal.type("\r")
            try terminal.waitFor("note-1@1  Wrote  1")
            try Self.complete("APPEND no", "APPEND note-", on: terminal)
            try Self.complete("2 {\"type\":\"W", "{\"type\":\"Wrote\" ", on: terminal)
            terminal.type(",\"data\":2}\r")
            try terminal.waitFor("note-2  version 1")
            try client.expect(#"DEFINE notes "from note; text: text?; on Wrote { text = data }""#)
            try Self.complete("COUNT no", "COUNT notes ", on: terminal)
            terminal.type("\r")
            try terminal.waitFor("count               ")
            try Self.complete("TYPES no", "TYPES note-* ", on: terminal)
            terminal.type("\r")
            try terminal.waitFor("Wrote")
            // A store that does not answer completes nothing, and nothing is said.
            try daemon.pause()
            terminal.type("GET users/\t71")
            try terminal.waitFor("story> GET users/71")
            try daemon.resume()
            terminal.type("\r")
            try terminal.waitFor("71@example.org")
            terminal.type("\u{4}")
            expect(try terminal.wait() == 0)
        }

        @Test func `Tab knows filters, values and IDs of declared models, and first the types that the store has`()
            throws
        {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for (id, status) in [("90", "placed"), ("91", "paid")] {
                try client.expect(#"APPEND order-\#(id) {"type":"Placed","data":{"status":"\#(status)"}}"#)
            }
            try client.expect(
                #"DEFINE orders "from order; memo: text?; status: text; on Placed { status = data.status }""#)
            try until("the model answers") {
                try client.ask("COUNT events types=ModelActivated").contains(#""count":1"#)
            }
            let terminal = try Self.begin(daemon)
            try Self.complete("LIST orders sta", "status=", on: terminal)
            try Self.complete("", "paid    placed", on: terminal)
            terminal.type("ai")
            try Self.complete("", "status=paid ", on: terminal)
            terminal.type("\r")
            try terminal.waitFor("id  memo  status")
            try terminal.waitFor("91        paid")
            try Self.complete("GET orders/9", "orders/90  orders/91", on: terminal)
            terminal.type("0\r")
            try terminal.waitFor("status              placed")
            try Self.complete("READ events types=", "\r\nModelActivated ", on: terminal)
            let lines = terminal.screen.replacing(#/\e\[[0-9;?]*[A-Za-z]/#, with: "").split(separator: "\r\n")
            let listed = lines.drop { !$0.hasPrefix("ModelActivated ") }.prefix { !$0.hasPrefix("story>") }
            expect(listed.dropFirst(2).first?.hasPrefix("Placed ") == true, "\(listed)")
            expect(listed.allSatisfy { $0.count < 80 } && listed.count > 3, "\(listed)")
            terminal.type("\u{15}\u{4}")
            expect(try terminal.wait() == 0)
        }

        @Test func `what is typed while an answer is awaited counts, Ctrl-D too`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon)
            try daemon.pause()
            terminal.type("PING\r")
            try terminal.waitFor("PING\r\n")
            // Time enough for the line to have been taken, and for what comes now to be typed behind it.
            usleep(100_000)
            terminal.type("\u{4}")
            usleep(100_000)
            try daemon.resume()
            expect(try terminal.wait() == 0)
            expect(terminal.isPlain)
        }

        @Test func `what a subscription pushes is shown above the line that is typed`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon)
            terminal.type("SUBSCRIBE events\r")
            try terminal.waitFor("subscription        1")
            terminal.type("PI")
            try terminal.waitFor("PI")
            expect(try daemon.client().ask(#"APPEND note-1 {"type":"A","data":{}}"#).hasPrefix("+"))
            try terminal.waitFor(#">1 {"position":1,"stream":"note-1""#)
            try terminal.waitFor("PI")
            expect(terminal.screen.hasSuffix("\r\u{1B}[Jstory> PI"), "prompt and line stand there once")
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
            expect(try terminal.wait() == 0)
            expect(!terminal.screen.contains("\u{1B}") && !terminal.screen.unicodeScalars.contains("\u{202E}"))
        }

        @Test func `pasted lines are lines, and a tab in them completes nothing`() throws {
            let daemon = try RunningDaemon()
            let terminal = try Self.begin(daemon)
            terminal.type("\u{1B}[200~COUNT users\rCOUNT stor\tx\rPI\u{1B}[201~\u{1B}[[AN\u{1B}gG\r")
            try terminal.waitFor("count               0")
            try terminal.waitFor("the line has a control byte (column 11)")
            try terminal.waitFor("position            0")
            terminal.type("\u{4}")
            expect(try terminal.wait() == 0)
            expect(terminal.isPlain && terminal.screen.contains("\u{1B}[?2004l"))
        }

        @Test func `a stopped prompt leaves the terminal to the shell, and shows its line again`() throws {
            let daemon = try RunningDaemon()
            let script = #"set -m; "$@"; echo "stopped $?"; read answer; fg; echo "ended $?"; read answer"#
            let terminal = try Pseudoterminal(
                ["/bin/bash", "--norc", "-c", script, "bash", try Program.path("storectl")],
                environment: SanitizerSettings.environment + [
                    "TERM=xterm", "PATH=/usr/bin:/bin", "STORED_SOCKET=\(daemon.socket)",
                    "HOME=\(daemon.folder.path)",
                ])
            try terminal.waitFor("story> ")
            terminal.type("PI")
            try terminal.waitFor("story> PI")
            terminal.type("\u{1A}")
            try terminal.waitFor("stopped 148")
            expect(terminal.isPlain)
            terminal.type("\n")
            try terminal.waitFor("story> PI")
            terminal.type("NG\r")
            try terminal.waitFor("position            0")
            terminal.type("\u{4}")
            try terminal.waitFor("ended 0")
            expect(terminal.isPlain)
        }

        @Test func `an end of the store, and Ctrl-C, leave the terminal as it was`() throws {
            let daemon = try RunningDaemon()
            let first = try Self.begin(daemon)
            first.type("\u{3}")
            expect(try first.wait() == 130)
            expect(first.isPlain)
            let second = try Self.begin(daemon)
            second.type("PIN")
            expect(try daemon.stop() == .code(0))
            expect(try second.wait() == 3)
            expect(second.isPlain)
        }
    }
}
