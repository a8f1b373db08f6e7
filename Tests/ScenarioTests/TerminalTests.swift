import Foundation
import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// What `storectl` shows on terminals: of every width, of every kind, and whatever the store holds.
    @Suite struct TerminalTests {
        private let daemon: RunningDaemon

        init() throws {
            daemon = try RunningDaemon()
            let client = try daemon.client()
            for (id, name) in [("u1", "Łukasz"), ("u2", "陳怡君"), ("u3", "👩‍👩‍👧 Family")] {
                try client.expect(
                    #"POST users {"id":"\#(id)","name":"\#(name)","email":"\#(id)@example.org","prefecture":3}"#)
            }
            for title in ["Mountain photo lake winter train river dog", "夏祭りの花火 夏祭りの花火 夏祭りの花火"] {
                let message = String(repeating: "a long message ", count: 20)
                try client.expect(
                    #"POST stories {"title":"\#(title)","message":"\#(message)","sender":"u1","recipient":"u2"}"#)
            }
            try client.expect(
                #"POST photos {"owner":"u1","iso":100,"focalLength":50,"exposureValue":1,"lensAperture":2.8,"exposureDuration":"1/125"}"#
            )
        }

        private func begin(
            _ words: String..., term: String = "xterm", columns: UInt16 = 80, environment: [String] = []
        ) throws -> Pseudoterminal { try begin(words, term: term, columns: columns, environment: environment) }

        private func begin(
            _ words: [String], term: String = "xterm", columns: UInt16 = 80, environment: [String] = []
        ) throws -> Pseudoterminal {
            try Pseudoterminal(
                [try Program.path("storectl"), "--socket", daemon.socket] + words,
                environment: ["TERM=\(term)"] + environment + SanitizerSettings.environment, columns: columns)
        }

        /// The lines that a run shows, which ends well.
        private func lines(_ terminal: Pseudoterminal) throws -> [String] {
            expect(try terminal.wait() == 0)
            return terminal.screen.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast().map {
                String($0).replacing(#/\x1B\[[0-9;]*m/#, with: "")
            }
        }

        private func width(_ line: String) -> Int { line.unicodeScalars.reduce(0) { $0 + VirtualScreen.width($1) } }

        @Test func `a table on 80 columns has the columns that browse has`() throws {
            let stories = try lines(begin("list", "stories"))
            expect(stories[0].contains(#/^id +date \(UTC\) +title +from  to  likes$/#), "\(stories)")
            expect(stories[1].contains(#/ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  夏祭りの花火/#), "\(stories)")
            expect(stories.count == 3 && stories.allSatisfy { width($0) <= 80 })
            let photos = try lines(begin("list", "photos"))
            let headings = photos[0].split(separator: " ").map(String.init)
            expect(Set(headings).count == headings.count && !photos[0].contains("…"), "\(photos)")
            let chosen = try lines(begin("list", "stories", "--columns", "message,id"))
            expect(chosen[0].hasPrefix("message  ") && chosen[1].contains("…"), "\(chosen)")
        }

        /// Declares a model with three rows and a misfit, and waits until it answers.
        private func declare() throws {
            let client = try daemon.client()
            for number in 7...9 {
                let data = #"{"name":"A customer with a long name \#(number)","total":\#(number)12345678.25}"#
                try client.expect(#"APPEND order-\#(number) {"type":"Placed","data":\#(data)}"#)
            }
            try client.expect(#"APPEND order-10 {"type":"Placed","data":{"name":1}}"#)
            try client.expect(
                #"DEFINE orders "from order; name: text; total: number; paid: boolean?; placed: time; "#
                    + #"on Placed { name = data.name; total = data.total; placed = event.time }""#)
            try until("the model answers") { try client.ask("COUNT orders").hasPrefix("+") }
        }

        @Test func `a table of a declared model has the columns that browse has, and cuts no time and no number`()
            throws
        {
            try declare()
            let shown = try lines(begin("list", "orders"))
            expect(shown[0].contains(#/^id  name +total +paid  placed \(UTC\)$/#), "\(shown)")
            let row = #/^9   A customer .*  912345678\.25 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/#
            expect(shown[1].contains(row), "\(shown)")
            let narrow = try lines(begin("list", "orders", columns: 30))
            expect(narrow.contains { $0.hasSuffix("  912345678.25") }, "\(narrow)")
            expect(narrow.last == "no room for paid, placed; a row has all, --columns A,B chooses", "\(narrow)")
            let chosen = try lines(begin("list", "orders", "--columns", "placed,id", columns: 44))
            expect(chosen.count == 4 && chosen[1].hasSuffix(" 9"), "\(chosen)")
        }

        @Test func `states, misfits and differences have colours, and their words stay`() throws {
            try declare()
            let models = try begin("model", "list")
            expect(try models.wait() == 0)
            for cell in ["\u{1B}[0;32mready", "\u{1B}[0;33m1"] {
                expect(models.screen.contains(cell), "\(models.screen)")
            }
            let file = daemon.folder.place("orders.model")
            try Files.write("from order; name: text; on Placed { name = data.name + '!' }", to: file)
            let check = try begin("model", "check", file, "orders", columns: 200)
            expect(try check.wait() == 0)
            for line in ["\u{1B}[0;31m  - {", "\u{1B}[0;32m  + {"] {
                expect(check.screen.contains(line), "\(check.screen)")
            }
            let health = try begin("check", "--critical", "ping=80000", "--warning", "ping=80000")
            _ = try health.wait()
            expect(health.screen.contains("STORYKEEP \u{1B}[0;3"), "\(health.screen)")
        }

        @Test(arguments: [20, 33, 40, 60, 80, 120] as [UInt16])
        func `no line is wider than the terminal, and titles and names are aligned`(columns: UInt16) throws {
            for kind in ["stories", "users", "photos"] {
                let shown = try lines(begin("list", kind, columns: columns))
                expect(shown.allSatisfy { width($0) <= Int(columns) }, "\(shown)")
            }
            let fields = try lines(begin("list", "users", columns: 20)).filter { $0.hasPrefix("name: ") }
            expect(fields == ["name: 👩‍👩‍👧 Family", "name: 陳怡君", "name: Łukasz"])
        }

        @Test func `what another program reads is whole, as before`() throws {
            let run = try daemon.storectl("list", "stories")
            let heading = run.output.prefix { $0 != "\n" }.split(separator: " ").map(String.init)
            expect(
                heading == ["id", "title", "message", "sender", "recipient", "date", "likes", "version", "position"])
            expect(run.output.contains(String(repeating: "a long message ", count: 20)) && run.output.contains("Z  0"))
        }

        @Test(arguments: [("dumb", []), ("", []), ("xterm", ["NO_COLOR=1"])] as [(String, [String])])
        func `a terminal without sequences or colours is sent none`(term: String, environment: [String]) throws {
            try declare()
            let runs = [
                ["list", "users", "--limit", "1"], ["get", "users/u1"], ["tail", "--until-end"], ["verify"],
                ["--data", daemon.data, "verify"], ["--data", daemon.data, "replay"], ["stats"], ["model", "list"],
                ["backup", daemon.folder.place("copy-\(environment.count)\(term)")],
            ]
            for words in runs {
                let terminal = try begin(words, term: term, environment: environment)
                expect(try terminal.wait() == 0)
                expect(!terminal.screen.contains("\u{1B}") && !terminal.screen.isEmpty, "\(words)")
            }
            let wrong = try begin("get", "users/none", term: term, environment: environment)
            expect(try wrong.wait() == 1)
            expect(wrong.screen.hasPrefix("storectl: notFound"), "\(wrong.screen)")
        }

        @Test func `long work shows its step, and leaves an empty line`() throws {
            let checked = try begin("--data", daemon.data, "verify")
            expect(try checked.wait() == 0)
            expect(
                checked.screen.contains("checking the log: [") && checked.screen.contains("comparing the models: ["))
            var screen = VirtualScreen()
            screen.take(checked.screen)
            expect(screen.lines[0] == "verified: every one of 6 events is as it was written", "\(screen.lines)")
        }

        @Test func `browse says which terminal it needs`() throws {
            let dumb = try begin("browse", term: "dumb")
            expect(try dumb.wait() == 2)
            expect(dumb.screen.contains("needs a terminal that moves its cursor, and TERM is dumb"))
            expect(!dumb.screen.contains("\u{1B}"))
        }

        @Test func `no text of the store turns a line or moves the cursor`() throws {
            let client = try daemon.client()
            let marks = "\u{202E}\u{061C}\u{2066}\u{9B}2J"
            try client.expect(
                #"POST stories {"id":"s","title":"x\#u{202E}y\#u{061C}z","message":"m","sender":"u1","recipient":"u1"}"#
            )
            try client.expect(#"APPEND n-1 {"type":"T","data":{"a":"x\#(marks)y"}}"#)
            let runs = [
                ["list", "stories"], ["list", "stories", "--columns", "id,title"], ["get", "stories/s"],
                ["tail", "stories", "--limit", "3"], ["tail", "--until-end"], ["read", "n-1"],
                ["--json", "read", "n-1"],
                ["--json", "get", "stories/s"], ["list", "stories", "--csv"], ["export"],
            ]
            for words in runs {
                let terminal = try begin(words)
                expect(try terminal.wait() == 0)
                let scalars = terminal.screen.unicodeScalars
                expect(!scalars.contains { ["\u{202E}", "\u{061C}", "\u{2066}", "\u{9B}"].contains($0) }, "\(words)")
                expect(scalars.contains("\u{FFFD}"), "\(words): \(terminal.screen)")
            }
            let wrong = try begin("--json", "get", "users/\u{202E}")
            expect(try wrong.wait() == 1)
            expect(!wrong.screen.unicodeScalars.contains("\u{202E}"))
            let piped = try daemon.storectl("--json", "read", "n-1")
            expect(piped.output.contains(marks), "another program gets the bytes")
        }

        @Test func `nothing is told as nothing, and that there is more is no error`() throws {
            for words in [
                ["read", "zzz-1"], ["streams", "zzz-*"], ["tail", "zzz-1", "--until-end"], ["list", "messages"],
            ] {
                let terminal = try begin(words)
                expect(try terminal.wait() == 0)
                expect(terminal.screen.hasPrefix("nothing there\r\n"), "\(words): \(terminal.screen)")
                expect(try daemon.storectl(arguments: words).output.isEmpty)
            }
            let rows = try begin("list", "users", "--limit", "1")
            expect(try rows.wait() == 0)
            expect(rows.screen.contains("\r\nmore rows: repeat with --after "), "\(rows.screen)")
            expect(rows.screen.hasSuffix(", or use --all\r\n"))
            expect(try daemon.storectl("read", "--limit", "1").errors == "more events: repeat with --from 2\n")
        }
    }
}
