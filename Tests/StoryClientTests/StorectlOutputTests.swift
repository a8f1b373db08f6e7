import Foundation
import StoryClient
import TestSupport
import Testing

/// What `storectl` prints: for a person, for another program, for a shell and for man.
@Suite struct StorectlOutputTests {
    private static let rows = [
        #"= {"id":"1","version":1,"position":1,"name":"A, \"B\"","email":"tab\there","prefecture":13}"#,
        #"= {"id":"2","version":2,"position":5,"name":"two\nlines","email":"x\\y","prefecture":1}"#,
    ]

    private func list(_ arguments: String...) throws -> StorectlRun {
        try StorectlRun(
            ["list", "users"] + arguments,
            store: .answering { _ in Self.rows.joined(separator: "\n") + "\n+ {\"count\":2}\n" })
    }

    @Test func `separated values are whole and can be read back`() throws {
        let csv = try list("--csv", "--columns", "id,name,prefecture")
        expect(csv.output == "id,name,prefecture\n1,\"A, \"\"B\"\"\",13\n2,\"two\nlines\",1\n")
        let tsv = try list("--tsv", "--columns", "name,email,position")
        expect(tsv.output == "name\temail\tposition\nA, \"B\"\ttab\\there\t1\ntwo\\nlines\tx\\\\y\t5\n")
        expect(csv.errors.isEmpty && tsv.errors.isEmpty)
    }

    @Test func `what belongs to one character for people is still bytes for programs`() throws {
        let row = #"= {"id":"1","name":"q\"\u0301,","email":"l1\r\nl2\\\u0301"}"#
        func list(_ form: String) throws -> String {
            try StorectlRun(
                ["list", "users", form, "--columns", "name,email"],
                store: .answering { _ in row + "\n+ {\"count\":1}\n" }
            ).output
        }
        expect(try list("--csv").utf8.elementsEqual("name,email\n\"q\"\"\u{301},\",\"l1\r\nl2\\\u{301}\"\n".utf8))
        expect(try list("--tsv").utf8.elementsEqual("name\temail\nq\"\u{301},\tl1\\r\\nl2\\\\\u{301}\n".utf8))
    }

    @Test func `separated values of no rows are their line of names`() throws {
        for (form, names) in [("--csv", "id,name\n"), ("--tsv", "id\tname\n")] {
            let run = try StorectlRun(
                ["list", "users", form, "--columns", "id,name"], store: .answering { _ in "+ {\"count\":0}\n" })
            expect((run.output, run.code) == (names, 0))
        }
    }

    @Test func `a table has the columns that were asked for, and without a terminal all of them, whole`() throws {
        expect(try list("--columns", "prefecture,id").output == "prefecture  id\n13          1\n1           2\n")
        let name = String(repeating: "x", count: 300)
        let run = try StorectlRun(
            ["list", "users"], store: .answering { _ in "= {\"id\":\"1\",\"name\":\"\(name)\"}\n+ {}\n" })
        expect(run.output.contains(name))
    }

    @Test func `data are shown digit for digit`() throws {
        let data = #"{"z":1.10,"a":12345678901234567890,"big":1e2,"dup":"\u0041","in":[{"y":1,"x":-0.0}]}"#
        let event = #"= {"position":1,"stream":"n-1","version":1,"type":"T","time":"t","data":\#(data)}"#
        let run = try StorectlRun(["read", "n-1"], store: .answering { _ in event + "\n+ {\"count\":1}\n" })
        expect(run.output == "1  t  n-1@1  T  \(data)\n")
    }

    @Test func `an erased event shows which one erased it, and has no data in CSV`() throws {
        let place = #"= {"position":1,"stream":"n-1","version":1,"type":"T","time":"2026-11-21T02:55:07.922Z","by":0,"#
        let lines = [#""key":"k","tags":["a"],"erased":9}"#, #""data":{"erased":9}}"#, #""data":9}"#]
        let answer = lines.map { place + $0 + "\n" }.joined() + "+ {\"count\":3,\"position\":9}\n"
        let start = "1  2026-11-21T02:55:07.922Z  n-1@1  T  "
        let read = try StorectlRun(["read", "n-1"], store: .answering { _ in answer })
        expect(read.output == ["erased by 9", #"{"erased":9}"#, "9"].map { start + $0 + "\n" }.joined())
        let csv = try StorectlRun(["export", "--csv"], store: .answering { _ in answer })
        let cells = [#"k,"[""a""]",,"#, #",,,"{""erased"":9}""#, #",,,"9""#]
        expect(
            csv.output == "position,stream,version,type,time,by,key,tags,meta,data\n"
                + cells.map { "1,n-1,1,T,2026-11-21T02:55:07.922Z,0,\($0)\n" }.joined())
    }

    @Test func `an erasure without an end is under way`() throws {
        let rows = [
            #"{"id":"1","position":4,"done":5,"target":"events/order-7","reason":"asked, twice","events":2,"bytes":29}"#,
            #"{"id":"2","position":8,"target":"events","reason":"r","events":17,"bytes":4211}"#,
        ]
        let answer = rows.map { "= \($0)\n" }.joined() + "+ {\"count\":2,\"next\":2,\"position\":9}\n"
        let shown = try StorectlRun(
            ["erasures", "--limit", "2", "--columns", "id,target,events,bytes,state,reason"],
            store: .answering { _ in answer })
        let table = [
            "id  target          events  bytes  state      reason",
            "1   events/order-7  2       29     done       asked, twice",
            "2   events          17      4211   under way  r",
        ]
        expect(shown.output == table.map { $0 + "\n" }.joined())
        expect(shown.errors == "more rows: repeat with --after 2, or use --all\n")
        let json = try StorectlRun(["--json", "erasures", "--limit", "2"], store: .answering { _ in answer })
        expect((json.output, json.errors) == (rows.map { $0 + "\n" }.joined(), "{\"next\":\"2\"}\n"))
    }

    @Test func `all rows are asked for page by page`() throws {
        let run = try StorectlRun(
            ["list", "users", "--all", "--tsv", "--columns", "id"],
            store: .answering { line in
                switch line {
                case "LIST users limit=1000": "= {\"id\":\"1\"}\n+ {\"count\":1,\"next\":\"c1\"}\n"
                case "LIST users limit=1000 after=c1": "+ {\"count\":0,\"next\":\"c2\"}\n"
                case "LIST users limit=1000 after=c2": "= {\"id\":\"2\"}\n+ {\"count\":1}\n"
                default: "- {\"code\":\"syntax\",\"message\":\"\(line)\"}\n"
                }
            })
        expect((run.output, run.errors, run.code) == ("id\n1\n2\n", "", 0))
    }

    @Test func `with --json how to go on is JSON as well`() throws {
        let run = try StorectlRun(
            ["--json", "list", "users", "--limit", "1"],
            store: .answering { _ in "= {\"id\":\"1\"}\n+ {\"count\":1,\"next\":\"c\"}\n" })
        expect((run.output, run.errors) == ("{\"id\":\"1\"}\n", "{\"next\":\"c\"}\n"))
    }

    @Test(arguments: [
        (["get", "story-12345"], "GET stories/12345"), (["get", "store://users/7"], "GET store://users/7"),
        (["see", "message-9-8"], "SEE messages/9-8"),
        (["like", "story-1", "--user", "7"], #"LIKE stories/1 {"user":"7"}"#),
        (["append", "note-1", "--type", "T", "--body", "1"], #"APPEND note-1 {"type":"T","data":1}"#),
    ])
    func `what a receipt names can be asked for`(arguments: [String], expected: String) throws {
        let run = try StorectlRun(
            ["--json"] + arguments,
            store: .answering { $0 == expected ? "+ {}\n" : "- {\"code\":\"syntax\",\"message\":\"\($0)\"}\n" })
        expect(run.code == 0, "\(run.errors)")
    }

    @Test func `a line of input is a form, whatever it looks like`() throws {
        let server = try ScriptedServer.answering { line in
            line == #"POST users {"id":"1"}"# ? "+ {}\n" : "- {\"code\":\"syntax\",\"message\":\"\(line)\"}\n"
        }
        let input = "key=inj meta=\"{}\" {\"id\":\"2\"}\n\nnot json\n{\"id\":\"1\"}\n1\n"
        let run = try StorectlRun(["--json", "post", "users"], store: server, input: input)
        expect((run.output, run.code) == ("{}\n", 2))
        let lines = run.errors.split(separator: "\n")
        expect(
            lines.map { $0.prefix { $0 != "," }.prefix(40) } == [
                "storectl: line 1: this is no JSON object", "storectl: line 3: this is no JSON object",
                "storectl: line 5: this is no JSON object",
            ])
    }

    @Test func `a key is for one line of input`() throws {
        let run = try StorectlRun(
            ["--json", "post", "users", "--key", "k"], store: .answering { _ in "+ {}\n" },
            input: "{\"a\":1}\n{\"a\":2}\n")
        expect((run.output, run.code) == ("{}\n", 2))
        expect(run.errors == "storectl: line 2: --key is for one write; send this line with a key of its own\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions know verbs, kinds, options and values`(shell: String) throws {
        let script = try StorectlRun(["completion", shell]).output
        for word in ["unlike", "stories", "prefecture", "focalLength", "asc desc", "title", "erase", "erasures"] {
            expect(script.contains(word), "\(shell) has no \(word)")
        }
    }

    @Test(arguments: [
        (["li"], ["list", "like"]), (["list", "us"], ["users"]), (["list", "users", "--sort", "pre"], []),
        (["list", "stories", "--sort", "ti"], ["title"]), (["list", "stories", "--order", ""], ["asc", "desc"]),
        (["get", "mess"], ["messages/"]), (["post", "stories", "--tit"], ["--title"]),
        (["replay", "--model", "str"], ["streams"]), (["help", "--m"], ["--man"]),
        (["list", "messages", "--unseen", "t"], ["true"]), (["stats", "--w"], ["--watch"]), (["get", "--at", "x"], []),
        (["delete", "u"], []), (["delete", "sto"], ["stories/"]), (["edit", "mess"], []),
        (["help", "confl"], ["conflict"]),
        (["list", "users", "--sort", "l"], []), (["list", "stories", "--sort", "l"], ["likes"]),
        (["post", "photos", "--flash", ""], ["none", "normal", "redEye"]), (["post", "users", "--tit"], []),
        (["list", "users", "--columns", "id,na"], ["id,name"]), (["read", "--types", "StoryL"], ["StoryLiked"]),
        (["eras"], ["erase", "erasures"]), (["erase", "ev"], ["events"]), (["erase", "a-1", "--dry"], ["--dry-run"]),
        (["erasures", "--a"], ["--after", "--all"]),
    ])
    func `bash completes`(words: [String], expected: [String]) throws {
        let script = try StorectlRun(["completion", "bash"]).output
        let typed = (["storectl"] + words).map { "'\($0)'" }.joined(separator: " ")
        let bash = Process()
        bash.executableURL = URL(fileURLWithPath: "/bin/bash")
        bash.arguments = [
            "-c", script + "\nCOMP_WORDS=(\(typed)); COMP_CWORD=\(words.count); _storectl; echo \"${COMPREPLY[*]}\"",
        ]
        let output = Pipe()
        bash.standardOutput = output
        try bash.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        bash.waitUntilExit()
        expect(bash.terminationStatus == 0)
        expect(Set(text.split(whereSeparator: \.isWhitespace).map(String.init)) == Set(expected))
    }

    @Test(arguments: [("storectl", ["help", "--man"]), ("stored", ["--man"])])
    func `the manual pages say what help says, in what man reads`(program: String, arguments: [String]) throws {
        let page = try StorectlRun(arguments, program: program).output
        let lines = page.split(separator: "\n")
        expect(lines.first?.hasPrefix(".TH \(program.uppercased()) ") == true)
        expect(page.utf8.allSatisfy { $0 < 128 })
        // A line that begins with a point is a request; there are no others than these.
        let requests = Set(lines.filter { $0.hasPrefix(".") }.map { $0.prefix { $0 != " " } })
        expect(requests.isSubset(of: [".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".br"]), "\(requests)")
        expect(page.contains(program == "stored" ? "\\-\\-journal BYTES" : ".SS append STREAM"))
    }
}
