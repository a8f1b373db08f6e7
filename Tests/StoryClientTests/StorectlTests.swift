import Foundation
import StoryClient
import StoryCore
import TestSupport
import Testing

@Suite struct StorectlTests {
    /// Answers with the request itself, in JSON.
    private func echo() throws -> ScriptedServer {
        try ScriptedServer.answering { line in
            let data = (try? JSONEncoder().encode(["request": line])) ?? Data()
            return "+ " + String(decoding: data, as: UTF8.self) + "\n"
        }
    }

    /// The request that a command line makes.
    private func request(_ arguments: [String], input: String = "") throws -> String {
        let run = try StorectlRun(["--json"] + arguments, store: echo(), input: input)
        expect(run.code == 0, "\(run.errors)")
        let lines = try run.output.split(separator: "\n").map {
            try JSONDecoder().decode([String: String].self, from: Data($0.utf8))["request"] ?? ""
        }
        return lines.joined(separator: "\n")
    }

    @Test func `flags become a form, numbers where numbers belong, options beside it`() throws {
        let made = try request(
            ["--title", "A \"b\"", "post", "stories", "--sender=007", "--key", "k1", "--version", "0", "--iso", "1e2"])
        expect(made == #"POST stories key=k1 version=0 {"title":"A \"b\"","sender":"007","iso":1e2}"#)
        expect(try request(["post", "users", "--prefecture", "x"]) == #"POST users {"prefecture":"x"}"#)
    }

    @Test func `without flags each line of input is a form`() throws {
        let made = try request(["edit", "users/1", "--meta", #"{"by": "me"}"#], input: "{\"name\":\"A\"}\n\n{}\n")
        let expected = #"EDIT users/1 meta="{\"by\": \"me\"}" "#
        expect(made == expected + "{\"name\":\"A\"}\n" + expected + "{}")
    }

    @Test(arguments: [
        (["get", "stories/1", "--at", "5"], "GET stories/1 at=5"),
        (["get", "users/1", "--min", "7"], "GET users/1 min=7"),
        (["list", "users", "--min", "now"], "LIST users min=now"),
        (["count", "users", "--min", "7"], "COUNT users min=7"),
        (["list", "stories", "--sender", "007", "--limit", "2"], "LIST stories sender=007 limit=2"),
        (["see", "messages/1", "--version", "2"], "SEE messages/1 version=2"),
        (["append", "note-1", "--type", "T", "--body", "{ }"], #"APPEND note-1 {"type":"T","data":{ }}"#),
        (["like", "stories/1", "--user", "007"], #"LIKE stories/1 {"user":"007"}"#),
        (["delete", "stories/1", "--key=k"], "DELETE stories/1 key=k"),
        (["erase", "order-7", "--reason", "asked for", "--yes"], #"ERASE events/order-7 reason="asked for""#),
        (
            ["erase", "events", "--tags", "a:1", "--reason", "r", "--expect", "2", "--key", "k"],
            "ERASE events reason=r tags=a:1 expect=2 key=k"
        ),
        (["erase", "order-*", "--to", "9", "--key", "k", "--dry-run"], "ERASE events/order-* to=9 dry=true"),
        (["erasures", "--after", "2", "--limit", "5"], "ERASURES after=2 limit=5"),
        (["read", "note-1", "--log", "x"], "READ events/note-1 log=x"), (["read", "events"], "READ events"),
        (["count", "stories", "--since", "2026-01-01T00:00:00Z"], "COUNT stories since=2026-01-01T00:00:00Z"),
        (
            ["append", "note-1", "--type", "T", "--body", "1", "--tags", "a,b"],
            #"APPEND note-1 {"type":"T","data":1,"tags":["a","b"]}"#
        ),
    ])
    func `a command line becomes a request`(arguments: [String], expected: String) throws {
        let run = try StorectlRun(["--json"] + arguments, store: request(expecting: expected))
        expect(run.code == 0, "\(run.errors)")
    }

    /// Says yes to this request only.
    private func request(expecting expected: String) throws -> ScriptedServer {
        try ScriptedServer.answering { line in
            line == expected ? "+ {}\n" : "- {\"code\":\"syntax\",\"message\":\"not expected\"}\n"
        }
    }

    @Test func `answers are for people, or with --json byte for byte`() throws {
        let row = #"{"id":"007",  "name":"彩花","n":1.50}"#
        let asked = ["get", "users/007"]
        let json = try StorectlRun(asked + ["--json"], store: .answering { _ in "+ \(row)\n" })
        expect(json.output == row + "\n")
        let shown = try StorectlRun(asked, store: .answering { _ in "+ \(row)\n" })
        expect(shown.output == "id                  007\nname                彩花\nn                   1.50\n")
        expect(shown.errors.isEmpty)
    }

    @Test func `what came before a refusal is written, and then the refusal`() throws {
        let run = try StorectlRun(
            ["read", "--from", "4", "--json"],
            store: .answering { _ in
                "= {\"position\":4}\n- {\"code\":\"internal\",\"message\":\"no\",\"damaged\":true}\n"
            })
        expect((run.code, run.output) == (5, "{\"position\":4}\n"))
        expect(run.errors.contains("internal"))
    }

    @Test func `a list is a table, and how to go on is not among the data`() throws {
        let run = try StorectlRun(
            ["list", "users", "--limit", "2"],
            store: .answering { _ in
                "= {\"id\":\"1\",\"name\":\"A\\u001b[2J\"}\n= {\"id\":\"22\",\"name\":\"彩\"}\n+ {\"next\":\"c\"}\n"
            })
        expect(
            run.output == "id  name   email  prefecture  date  version  position\n1   A\u{FFFD}[2J\n22  彩\n")
        expect(run.errors == "more rows: repeat with --after c, or use --all\n")
    }

    @Test(arguments: [
        ("notFound", 1), ("gone", 1), ("invalid", 1), ("exists", 1), ("conflict", 1), ("keyReused", 1), ("diverged", 1),
        ("internal", 1), ("lost", 1),
        ("syntax", 2), ("unknown", 2),
        ("denied", 3), ("tooLarge", 3), ("full", 3), ("busy", 3), ("draining", 3),
        ("held", 3), ("behind", 3), ("notLeader", 3), ("unavailable", 3),
    ])
    func `a refusal is one line on standard error and an exit code`(code: String, expected: Int32) throws {
        let run = try StorectlRun(
            ["get", "users/1"], store: .answering { _ in "- {\"code\":\"\(code)\",\"message\":\"it\\nis so\"}\n" })
        expect((run.code, run.output) == (expected, ""))
        expect(run.errors == "storectl: \(code): it⏎is so\n")
    }

    @Test(arguments: [
        ([], "which verb?"), (["frobnicate"], "storectl help"), (["checkpoint"], "echo 'CHECKPOINT'"),
        (["help", "ping"], "echo 'PING'"), (["sorts"], "echo 'SORTS photos'"), (["LIST"], "it is \"list\""),
        (["subscribe"], "storectl tail"), (["help", "conflit"], "\"conflict\""),
        (["--socket", "/s", "--hlep"], "--help"), (["edit", "a"], "KIND/ID"),
        (["post", "users", "--name"], "needs a value"), (["lsit"], "\"list\""), (["get"], "KIND/ID"),
        (["get", "a", "b"], "\"b\""), (["get", ""], "KIND/ID"), (["see", "9"], "messages/12345"),
        (["find", "users", "aya"], "not in users"), (["list", "users", "--sortt", "x"], "--sort"),
        (["get", "x", "--at"], "needs a value"), (["get", "x", "--at", "1", "--at", "2"], "twice"),
        (["post", "users"], "nothing was given"), (["--data", "/d", "delete", "users/1"], "--socket"),
        (["--timeout", "0", "get", "users/1"], "--timeout"), (["tail", "--limit", "0"], "--limit"),
        (["tail", "stories", "--from", "1"], "--from"),
        (["get", "s001"], "KIND/ID"),
        (["append", "n-1", "--type", "T"], "--body"),
        (["help", "pots"], "\"post\""), (["completion", "tcsh"], "tcsh"),
        (["get", "stories"], "stories/ID"), (["erase"], "events[/STREAM|/CATEGORY-*]"),
        (["erase", "order-7", "--yes"], "--reason"), (["erase", "order-7", "--reason", "r"], "--expect N"),
        (["erase", "stories-1/2", "--dry-run"], "a stream such as"), (["erase", "a-1", "--reson", "r"], "--reason"),
        (["list", "stories", "--owner", "1"], "--sender"), (["count", "users", "--unseen", "true"], "--prefecture"),
        (["list", "users", "--columns", "id,nam"], "prefecture"), (["list", "users", "--csv", "--tsv"], "exclude"),
        (["--json", "list", "users", "--columns", "id"], "--columns"), (["tail", "--reconnect", "-1"], "--reconnect"),
        (["list", "users", "--all", "--limit", "3"], "--limit"),
    ])
    func `a wrong command line is told in one line that helps`(arguments: [String], part: String) throws {
        let needsStore = arguments == ["post", "users"]
        let run = try StorectlRun(arguments, store: needsStore ? echo() : nil)
        expect((run.code, run.output) == (2, ""))
        expect(run.errors.contains(part), "\(run.errors)")
        expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func `no daemon, and one that says nothing, have codes of their own`() throws {
        let nobody = try StorectlRun(["--socket", "/tmp/nobody-listens-here", "get", "users/1"])
        expect((nobody.code, nobody.output) == (2, ""))
        let silent = try StorectlRun(
            ["--timeout", "0.1", "get", "users/1"], store: .answering { _ in "" })
        expect(silent.code == 4)
    }

    @Test(arguments: [["-V"], ["--version"], ["--socket", "/s", "-V"], ["--socket", "/s", "--version"]])
    func `the version is told wherever it is asked for`(arguments: [String]) throws {
        let run = try StorectlRun(arguments)
        expect((run.code, run.output) == (0, "storectl \(ProgramVersion.number)\n"))
    }

    @Test func `help tells the fields of forms, and what an error code means`() throws {
        let post = try StorectlRun(["help", "post"]).output
        expect(post.contains("  users     --id --name --email --prefecture\n"))
        expect(!(try StorectlRun(["help", "edit"]).output.contains("messages")))
        let code = try StorectlRun(["help", "conflict"])
        expect(code.output.hasPrefix("conflict: ") && code.output.hasSuffix("\nretry: refetch\n"))
    }

    @Test func `help explains every verb that it lists`() throws {
        let overview = try StorectlRun(["help"]).output
        let verbs = overview.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("  --") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        expect(verbs.count >= 17)
        for verb in verbs {
            let help = try StorectlRun(["help", verb])
            expect(help.code == 0)
            expect(help.output.hasPrefix("storectl \(verb)") && help.output.contains("examples"))
            expect(try StorectlRun([verb, "--help"]).output == help.output)
        }
    }

    @Test func `pipe tells each error with its line, and a summary`() throws {
        let run = try StorectlRun(
            ["pipe"],
            store: .answering { $0 == "BAD" ? "- {\"code\":\"unknown\",\"message\":\"no verb BAD\"}\n" : "+ {}\n" },
            input: "PING\n# no request\nBAD\nPING\n")
        expect((run.code, run.output) == (2, ""))
        let lines = run.errors.split(separator: "\n")
        expect(lines.first == "storectl: line 3: unknown: no verb BAD")
        expect(lines.last?.hasPrefix("3 requests: 2 ok, 1 failed; ") == true)
    }

    @Test func `pipe prints raw lines as they came`() throws {
        let run = try StorectlRun(
            ["pipe", "--raw"],
            store: .answering {
                $0 == "PING" ? "+ {}\n" : $0 == "BAD" ? "- {\"code\":\"unknown\"}\n" : "= {\"a\":1}\n>3 {}\n+@t {}\n"
            },
            input: "@t PING\nBAD\n")
        expect(run.output == "= {\"a\":1}\n>3 {}\n+@t {}\n- {\"code\":\"unknown\"}\n")
    }

    @Test func `pipe drives many thousand lines quickly`() throws {
        let server = try ScriptedServer { server in
            server.write(ScriptedServer.greeting)
            while server.readLine() != nil { server.write("+ {}\n") }
        }
        let run = try StorectlRun(["pipe"], store: server, input: String(repeating: "PING\n", count: 5_000))
        expect(run.code == 0)
        expect(run.errors.hasPrefix("5000 requests: 5000 ok, 0 failed; "))
    }

    @Test func `tail prints events and, interrupted, where to resume`() throws {
        let event = "{\"position\":2,\"stream\":\"a-1\"}"
        let answer = "+ {\"subscription\":1,\"position\":3}\n>1 \(event)\n>1 {\"caughtUp\":3}\n"
        let run = try StorectlRun(
            ["--json", "tail", "--from", "1", "--min", "1", "--reconnect", "0"],
            store: .answering { line in line == "SUBSCRIBE events from=1 min=1" ? answer : "- {\"code\":\"syntax\"}\n"
            },
            interruptAfter: "a-1")
        expect(run.code == 130)
        expect(run.output == event + "\n")
        expect(run.errors == "resume with --from 4\n")
    }

    @Test func `damage is told apart from every other internal error`() throws {
        let damage = "- {\"code\":\"internal\",\"message\":\"x\",\"damaged\":true,\"position\":7}\n"
        expect(try StorectlRun(["read"], store: .answering { _ in damage }).code == 5)
        expect(try StorectlRun(["pipe"], store: .answering { _ in damage }, input: "VERIFY\nPING\n").code == 5)
        let end = "+ {\"subscription\":1,\"position\":9}\n>1 {\"end\":\"x\",\"resume\":7,\"damaged\":true}\n"
        expect(try StorectlRun(["tail"], store: .answering { _ in end }).code == 5)
    }

    @Test func `a store that takes nobody now is a limit, not a wrong socket`() throws {
        let server = try ScriptedServer {
            $0.write("- {\"code\":\"busy\",\"message\":\"too many\",\"retry\":\"later\"}\n")
        }
        let run = try StorectlRun(["get", "users/1"], store: server)
        expect((run.code, run.errors) == (3, "storectl: busy: too many\n"))
    }

    @Test func `a store that stops leaves the worst of both codes`() throws {
        let server = try ScriptedServer { server in
            server.write(ScriptedServer.greeting)
            _ = server.readLine()
            server.write("+ {}\n")
            _ = server.readLine()
            server.write("+ {}\n* {\"draining\":true,\"position\":0}\n")
        }
        let run = try StorectlRun(["pipe"], store: server, input: "PING\nPING\n")
        expect(run.code == 3)
        expect(run.errors.contains("1 request has no reply: whether it was"), "\(run.errors)")
    }

    @Test func `a short page is gone on from until there is what was asked for`() throws {
        let run = try StorectlRun(
            ["--json", "streams", "--limit", "3"],
            store: .answering { line in
                switch line {
                case "STREAMS limit=3": "= {\"stream\":\"a-1\"}\n+ {\"count\":1,\"next\":\"a-1\"}\n"
                case "STREAMS after=a-1 limit=2": "+ {\"count\":0,\"next\":\"b-1\"}\n"
                case "STREAMS after=b-1 limit=2":
                    "= {\"stream\":\"c-1\"}\n= {\"stream\":\"c-2\"}\n+ {\"count\":2,\"next\":\"c-2\"}\n"
                default: "- {\"code\":\"syntax\",\"message\":\"not expected\"}\n"
                }
            })
        expect(run.output == "{\"stream\":\"a-1\"}\n{\"stream\":\"c-1\"}\n{\"stream\":\"c-2\"}\n")
        expect((run.code, run.errors) == (0, "{\"next\":\"c-2\"}\n"))
    }

    @Test func `the store's words for options are those of the command line`() throws {
        let answer =
            "- {\"code\":\"invalid\",\"message\":\"1 field is wrong: at\",\"fields\":[{\"field\":\"at\",\"rule\":\"malformed\",\"message\":\"at= is a number\"}]}\n"
        let run = try StorectlRun(["get", "users/1", "--at", "0"], store: .answering { _ in answer })
        expect(run.errors == "storectl: invalid: 1 field is wrong: at (--at is a number)\n")
    }

    @Test func `tail names the history that its position is of`() throws {
        let server = try ScriptedServer { server in
            server.write("* {\"server\":\"stored/test\",\"protocol\":1,\"position\":0,\"log\":\"9f3c\"}\n")
            _ = server.readLine()
            server.write("+ {\"subscription\":1,\"position\":3}\n>1 {\"end\":\"draining\",\"resume\":4}\n")
        }
        let run = try StorectlRun(["tail", "--reconnect", "0"], store: server)
        expect(run.errors.contains("resume with --from 4 --log 9f3c\n"))
    }

    @Test func `tail ends when the store ends the subscription`() throws {
        let run = try StorectlRun(
            ["tail", "--reconnect", "0"],
            store: .answering { _ in "+ {\"subscription\":1,\"position\":3}\n>1 {\"end\":\"draining\",\"resume\":9}\n" }
        )
        expect(run.code == 3)
        expect(run.errors.hasPrefix("resume with --from 9\n"), "\(run.errors)")
    }
}
