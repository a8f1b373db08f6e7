import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// What people type on a command line of `storectl`: values that look like something else, times, wrong names.
    @Suite struct TypedValueTests {
        private func said(_ daemon: RunningDaemon, _ arguments: String..., input: String = "") throws -> String {
            let run = try daemon.storectl(arguments: arguments, input: input)
            return "\(run.exit) \(run.output)\(run.errors)"
        }

        @Test func `a value is what was typed, whatever its first byte means on the wire`() throws {
            let daemon = try RunningDaemon()
            for (id, email) in [("1", "{a}@example.org"), ("2", "[b@example.org"), ("3", "c=d@example.org")] {
                let made = try said(
                    daemon, "post", "users", "--id", id, "--name", "A", "--email", email, "--prefecture", "1", "--meta",
                    "{\"a\":\n[1,{}]}")
                expect(made.contains("user-\(id)  version 1"), "\(made)")
                expect(try said(daemon, "--json", "list", "users", "--email", email).contains("\"id\":\"\(id)\""))
                expect(try said(daemon, "count", "users", "--email", email).contains("1\n"))
            }
            expect(try daemon.client().rows("READ events").allSatisfy { $0.contains(#""meta":{"a": [1,{}]}"#) })
            for target in ["{a}-1", "a=b", "\"a\"", "a b"] {
                let refused = try said(daemon, "append", target, "--type", "T", "--body", "1")
                expect(refused.contains("a stream is CATEGORY-ID"), "\(refused)")
            }
        }

        @Test func `body and meta are one JSON value each`() throws {
            let daemon = try RunningDaemon()
            for (option, text, reason) in [
                ("body", #"1,"meta":{"a":1},"tags":["x"]"#, "no JSON begins here (column 2)"),
                ("body", #"{"a":1,"a":2}"#, "the key \"a\" twice in one object (column 8)"),
                ("body", "[1,", "the JSON ends too early (column 4)"),
                ("body", "", "the JSON ends too early (column 1)"),
                ("meta", "{}}", "no JSON begins here (column 3)"),
            ] {
                let body = option == "body" ? [] : ["--body", "1"]
                let run = try daemon.storectl(arguments: ["append", "n-1", "--type", "T", "--\(option)", text] + body)
                expect(run.exit == .code(2) && run.errors.contains("--\(option) is no JSON value: "), "\(run.errors)")
                expect(run.errors.contains(reason), "\(run.errors)")
            }
            expect(try daemon.client().ask("PING") == #"+ {"position":0}"#)
        }

        @Test func `a refused line of input has the store's reason, and the others are sent`() throws {
            let daemon = try RunningDaemon()
            let input = #"{"type":"T","data":{"a":1,"a":2}}"# + "\n" + #"{"type":"T","data":1}"# + "\n"
            let run = try daemon.storectl("append", "n-1", input: input)
            expect(run.exit == .code(2) && run.output.hasPrefix("n-1  version 1  position 1"), "\(run.output)")
            expect(run.errors == "storectl: line 1: the JSON has the key \"a\" twice in one object (column 27)\n")
        }

        @Test func `a byte order mark on standard input is named, at every door`() throws {
            let daemon = try RunningDaemon()
            for (verb, line) in [
                (["append", "n-1"], #"{"type":"T","data":1}"#), (["post", "users"], #"{"name":"A"}"#),
                (["pipe"], "PING"), (["model", "test", "-"], "[]"),
            ] {
                let run = try daemon.storectl(arguments: verb, input: "\u{FEFF}" + line + "\n")
                expect(run.exit == .code(2), "\(verb)")
                expect(run.errors.contains("begins with a byte order mark: remove it"), "\(run.errors)")
            }
            let place = daemon.folder.place("imported")
            let run = try daemon.storectl("--data", place, "import", input: "\u{FEFF}{}\n")
            expect(run.errors.contains("line 1: the line begins with a byte order mark: remove it"), "\(run.errors)")
        }

        @Test func `lines that are no requests end no pipe, and the summary counts what was sent`() throws {
            let daemon = try RunningDaemon()
            let run = try daemon.storectl("pipe", input: "FOO\n{\n{\n{\n{\nGET users/none\nPING\n")
            expect(run.exit == .code(2) && run.errors.contains("7 requests: 1 ok, 6 failed; "), "\(run.errors)")
            expect(!run.errors.contains("reply"))
        }

        @Test func `an input that cannot be read is not the connection`() throws {
            let daemon = try RunningDaemon()
            for verb in ["pipe", "append n-1", "post users"] {
                let run = try daemon.shell("$T \(verb) < /")
                expect(
                    run.errors.contains("storectl: standard input cannot be read: Is a directory\n"), "\(run.errors)")
                expect(run.exit == .code(2))
            }
        }

        @Test func `times and yes are typed alike at every door`() throws {
            let daemon = try RunningDaemon()
            let user = #"{"id":"1","name":"A","email":"a@example.org","prefecture":1}"#
            expect(try daemon.client().ask("POST users \(user)").hasPrefix("+"))
            let sent = try said(
                daemon, "post", "messages", "--id", "m", "--text", "x", "--sender", "1", "--recipient", "1", "--date",
                "2020-02-03")
            expect(sent.contains("message-m"), "\(sent)")
            expect(try daemon.client().ask("GET messages/m").contains(#""date":"2020-02-03T00:00:00.000Z""#))
            for (time, count) in [("2020-02-03", 1), ("2020-02-04", 0), ("1h", 0), ("yesterday", 0), ("40000d", 1)] {
                expect(try said(daemon, "count", "messages", "--since", time) == "code(0) \(count)\n", "\(time)")
            }
            for (word, count) in [("yes", 1), ("no", 0), ("true", 1), ("FALSE", 0)] {
                expect(try said(daemon, "count", "messages", "--unseen", word) == "code(0) \(count)\n")
            }
            for arguments in [
                ["read", "--from"], ["read", "--to"], ["get", "users/1", "--at"], ["export", "--since"],
            ] {
                expect(try daemon.storectl(arguments: arguments + ["1h"]).exit == .code(arguments[0] == "get" ? 1 : 0))
                let wrong = try daemon.storectl(arguments: arguments + ["noon"])
                expect(wrong.exit == .code(2) && wrong.errors.contains("1h (ago) or yesterday"), "\(wrong.errors)")
            }
            expect(try daemon.storectl("get", "users/1", "--at", "now").exit == .code(0))
            expect(
                try said(daemon, "get", "users/1", "--at", "99").contains("the log ends at 2; --at cannot be later"))
        }

        @Test func `a list of a declared model is bounded by its order, and its values are typed alike`() throws {
            let daemon = try RunningDaemon()
            let text =
                "from stock\nfree: number = 0\ncounted: time?\nopen: boolean?\nsort free, counted\n"
                + "on Counted { free = data.free; counted = data.counted; open = data.free > 0 }"
            for (id, free, day) in [("a", 0, "01"), ("b", 30, "02"), ("c", 100, "03")] {
                let data = #"{"free":\#(free),"counted":"2026-11-\#(day)T00:00:00.000Z"}"#
                let asked = try daemon.client().ask(#"APPEND stock-\#(id) {"type":"Counted","data":\#(data)}"#)
                expect(asked.hasPrefix("+"))
            }
            let defined = try daemon.storectl("model", "define", "stock", "-", input: text)
            expect(defined.exit == .code(0), "\(defined.errors)")
            for (words, ids) in [
                ("--sort free --until 30", "a"), ("--sort free --since 30", "c,b"),
                ("--sort free --since 0.5 --until 1e2", "b"),
                ("--sort counted --until 2026-11-03", "b,a"), ("--sort counted --since 2026-11-03", "c"),
                ("--counted 2026-11-02", "b"), ("--open no", "a"), ("--open YES", "c,b"),
            ] {
                let run = try daemon.storectl(
                    arguments: ["list", "stock", "--columns", "id", "--csv"]
                        + words.split(separator: " ").map(String.init))
                let found = run.output.split(separator: "\n").dropFirst().joined(separator: ",")
                expect(run.exit == .code(0) && found == ids, "\(words): \(run.output)\(run.errors)")
            }
            expect(try said(daemon, "count", "stock", "--counted", "2026-11-02") == "code(0) 1\n")
            // Fields may have the names of other verbs' switches.
            let fields = ["watch", "once", "force", "open", "raw", "drop", "verify", "record", "yes"]
            let counted = "from stock; " + fields.map { "\($0): number; " }.joined() + "on Counted { "
            let set = fields.map { "\($0) = data.free" }.joined(separator: "; ")
            expect(try daemon.storectl("model", "define", "named", "-", input: counted + set + " }").exit == .code(0))
            for field in fields {
                expect(try said(daemon, "count", "named", "--\(field)", "30") == "code(0) 1\n", "\(field)")
            }
            let wrong = try daemon.storectl("list", "stock", "--sort", "counted", "--until", "noon")
            expect(wrong.exit == .code(2) && wrong.errors.contains("--until is a time, such as"), "\(wrong.errors)")
            let number = try daemon.storectl("list", "stock", "--sort", "free", "--until", "2026-11-03")
            expect(number.errors.contains("is a number, such as 1.4"), "\(number.errors)")
            let misspelt = try daemon.storectl("count", "storys")
            expect(misspelt.errors.contains("did you mean stories?"), "\(misspelt.errors)")
        }

        @Test func `dates outside the calendar are out of range, and second 60 ends a month`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            expect(
                try client.ask(#"POST users {"id":"1","name":"A","email":"a@example.org","prefecture":1}"#).hasPrefix(
                    "+"))
            for (date, answer) in [
                ("9999-12-31T23:59:59-23:59", #""rule":"outOfRange""#),
                ("0000-01-01T00:00:00+00:01", #""rule":"outOfRange""#),
                ("2020-06-15T12:00:60Z", #""rule":"malformed""#), ("2016-12-31T23:59:60Z", #""version":1"#),
            ] {
                let form = #"{"text":"x","sender":"1","recipient":"1","date":"\#(date)"}"#
                expect(try client.ask("POST messages \(form)").contains(answer), "\(date)")
                guard answer.contains("rule") else { continue }
                expect(try client.ask("LIST users since=\(date)").contains(answer), "\(date)")
                expect(try client.ask("GET users/1 at=\(date)").contains(answer), "\(date)")
            }
        }

        @Test func `options of export are read alike with and without a daemon`() throws {
            let daemon = try RunningDaemon()
            expect(try daemon.client().ask(#"APPEND n-1 {"type":"T","data":1}"#).hasPrefix("+"))
            let commands = [
                ["--types", ""], ["--types", "T,"], ["--types", "é"], ["--from", "0"], ["--to", "9999999999999999999"],
                ["--types", Array(repeating: "T", count: 65).joined(separator: ",")], ["--types", "T"],
                ["--from", "9999-12-31T23:59:59-23:59"], ["--from", "2"], ["--from", "1", "--to", "1"],
            ]
            let asked = try commands.map { try daemon.storectl(arguments: ["export"] + $0) }
            expect(try daemon.stop() == .code(0))
            for (command, asked) in zip(commands, asked) {
                let read = try daemon.storectl(arguments: ["export"] + command, offline: true)
                expect((read.exit, read.output, read.errors) == (asked.exit, asked.output, asked.errors), "\(command)")
            }
            expect(
                asked[0].exit == .code(1) && asked[0].errors.contains("--types") || asked[0].errors.contains("types"))
        }

        @Test(arguments: [
            (["read", "user-u00*"], "no patterns of IDs: a stream is CATEGORY-ID, and the only pattern is CATEGORY-*"),
            (["ls"], "the nearest is \"list\""), (["--timeout", "0.0001", "stats"], "seconds from 0.001 to 86400"),
            (["streams", "order-00*"], "the only pattern is CATEGORY-*"),
            (["streams", "user"], "such as user-*"), (["read", "s0001"], "a stream such as story-12345"),
            (["count", "order-7"], "known: users, stories, messages, photos, events; STREAMS lists streams"),
            (["list", "stories", "--prefecture", "1"], "stories have no filter --prefecture; they have --sender"),
            (["list", "users", "--all", "--limit", "1"], "--all and --limit cannot be combined"),
            (["post", "users", "--name", "A"], "(email is required; "),
        ])
        func `an error says what there is`(arguments: [String], part: String) throws {
            let daemon = try RunningDaemon()
            let run = try daemon.storectl(arguments: arguments)
            expect(run.exit != .code(0) && run.errors.contains(part), "\(run.errors)")
        }

        @Test(arguments: ["localhost:7171", "http://localhost:7171/"])
        func `an address of another machine without tls is told how it is spelled`(address: String) throws {
            let run = try RunningDaemon(isStarted: false).shell("$S --socket \(address) stats")
            expect(run.exit == .code(2), "\(run.errors)")
            expect(run.errors.contains("a store on another machine is tls://localhost:7171"), "\(run.errors)")
        }

        @Test func `a name that is far off is not offered`() throws {
            let daemon = try RunningDaemon()
            expect(try !daemon.storectl("help", "nope").errors.contains("nearest"))
            expect(try !daemon.client().ask("HELP me").contains("nearest"))
            expect(try daemon.client().ask("HELP gte").contains(#""nearest":"GET""#))
            expect(try daemon.client().ask("ls").contains(#""nearest":"LIST""#))
        }
    }
}
