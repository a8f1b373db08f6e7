import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// The names of the store for the completion of command lines in a shell.
    @Suite struct CompletionTests {
        private static func filled() throws -> RunningDaemon {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for id in ["007", "008", "9"] {
                try client.expect(#"POST users {"id":"\#(id)","name":"A","email":"\#(id)@example.org","prefecture":3}"#)
            }
            try client.expect(#"POST stories {"id":"12","title":"T","message":"M","sender":"007","recipient":"008"}"#)
            try client.expect(#"APPEND note-1 {"type":"Wrote","data":1}"#)
            try client.expect(#"APPEND order-0 {"type":"Placed","data":1}"#)
            return daemon
        }

        /// Returns what is printed for the words of a command line, once.
        private static func run(_ words: [String], _ daemon: RunningDaemon) throws -> [String] {
            let (output, errors) = (daemon.folder.place("output"), daemon.folder.place("errors"))
            // A run appends to its files.
            unlink(output)
            let typed = ["--socket", daemon.socket] + words
            let run = try Program(
                [try Program.path("storectl"), "complete", "--"] + typed, output: output, errors: errors)
            expect(try run.wait() == .code(0) && Files.text(errors) == "", "\(words) \(Files.text(errors))")
            return Files.text(output).split(separator: "\n").map(String.init)
        }

        /// Returns what is printed for the words of a command line; on a busy machine the moment may be over before the
        /// store answers, so what is expected may come later.
        private static func names(
            _ words: [String], until expected: [String], _ daemon: RunningDaemon
        ) throws -> [String] {
            var names: [String] = []
            for _ in 0..<20 {
                names = try Self.run(words, daemon)
                if names == expected { break }
            }
            return names
        }

        @Test func `the last word is completed with what the store has`() throws {
            let daemon = try Self.filled()
            for (words, expected) in [
                (["get", "users/0"], ["users/007", "users/008"]), (["get", "users/007"], ["users/007"]),
                (["edit", "users/"], ["users/007", "users/008", "users/9"]), (["get", "us"], []),
                (["delete", "stories/1"], ["stories/12"]), (["like", "stories/"], ["stories/12"]),
                (["list", "stories", "--sender", "0"], ["007", "008"]), (["list", "stories", "--sort", ""], []),
                (["list", "stories", "--sender=9"], ["--sender=9"]),
                (["list", "messages", "--between", "007,9"], ["007,9"]),
                (["post", "stories", "--title", "A", "--recipient", "9"], ["9"]),
                (["browse", "--as", "00"], ["007", "008"]),
                (["read", "no"], ["note-"]), (["read", "note-"], ["note-1"]),
                (["read", "events/order-"], ["events/order-0"]),
                (["read", ""], ["note-", "order-", "story-", "user-"]), (["append", ""], ["note-", "order-"]),
                (["streams", "or"], ["order-"]), (["tail", "stories/"], ["stories/12"]),
                (["tail", "note-"], ["note-1"]),
                (["read", "--types", "Story"], ["StoryPosted"]), (["read", "order-0", "--types", ""], ["Placed"]),
                (["append", "note-2", "--type", ""], ["Wrote"]), (["tail", "--types", "Wrote,P"], ["Wrote,Placed"]),
                (["types", ""], ["note", "order", "story", "user"]), (["types", "no"], ["note"]),
                (["count", "events/no"], ["events/note-"]), (["count", "events/note-*", "--types", ""], ["Wrote"]),
                (["erase", ""], ["note-", "order-"]), (["erase", "order-"], ["order-0"]),
                (["erase", "events/no"], ["events/note-"]), (["erase", "order-0", "--types", ""], ["Placed"]),
                (["erasures", ""], []),
                (["get", "users/0", "x"], []), (["nope", "users/"], []), (["get", "--data", "/tmp", "users/"], []),
                (["get", "users/*"], []), ([""], []),
            ] {
                expect(try Self.names(words, until: expected, daemon) == expected, "\(words)")
            }
        }

        @Test func `the names of declared models are completed where one is taken`() throws {
            let daemon = try Self.filled()
            let client = try daemon.client()
            for name in ["orders", "order_lines", "notes"] {
                try client.expect(
                    #"DEFINE \#(name) "from order; total: number; tags: set(text, 3); sort total; on Placed { total = 1 }""#
                )
            }
            for (words, expected) in [
                (["list", "or"], ["order_lines", "orders"]), (["count", "orders"], ["orders"]),
                (["get", "or"], ["order_lines/", "orders/"]), (["tail", "n"], ["note-", "notes"]),
                (["model", "show", ""], ["notes", "order_lines", "orders"]), (["model", "undefine", "n"], ["notes"]),
                (["model", "misfits", "orders"], ["orders"]), (["model", "list", ""], []), (["model", "or"], []),
                (["model", "check", "or"], []), (["model", "show", "orders", "n"], []),
                (["post", "or"], []), (["like", "or"], []),
                (["list", "orders", "--"], ["--tags", "--total"]), (["count", "orders", "--to"], ["--total"]),
                (["tail", "orders", "--total", "1", "--ta"], ["--tags"]), (["list", "orders", "--x"], []),
                (["list", "orders", "--sort", ""], ["created", "total"]),
                (["list", "orders", "--sort=t"], ["--sort=total"]),
                (["get", "orders/"], ["orders/0"]), (["tail", "orders/0"], ["orders/0"]), (["edit", "orders/"], []),
                (["list", "orders", "--total", ""], ["1"]), (["count", "orders", "--tags", ""], []),
                (["list", "orders", "--since", ""], []),
                (["list", "users", "--"], []), (["get", "orders/1", "--"], []), (["list", "carts", "--"], []),
            ] {
                expect(try Self.names(words, until: expected, daemon) == expected, "\(words)")
            }
        }

        @Test func `a filter that has the name of an option of events is completed by its values`() throws {
            let daemon = try Self.filled()
            try daemon.client().expect(#"DEFINE orders "from order; query: number; on Placed { query = 7 }""#)
            for command in ["list", "count", "tail"] {
                let words = [command, "orders", "--query", ""]
                expect(try Self.names(words, until: ["7"], daemon) == ["7"], "\(command)")
            }
        }

        @Test func `the words of a command line need nothing before them`() throws {
            let daemon = try Self.filled()
            try daemon.client().expect(#"DEFINE orders "from order; total: number; on Placed { total = 1 }""#)
            let words = ["complete", "list", "orders", "--socket", daemon.socket, "--to"]
            try until("the filter is named") {
                let run = try daemon.storectl(arguments: words)
                expect(run.exit == .code(0) && run.errors.isEmpty, "\(run)")
                return run.output == "--total\n"
            }
            expect(try daemon.storectl("complete", "--help").output.hasPrefix("storectl complete "))
        }

        @Test func `a store that is stopped or absent completes nothing, and nothing is said`() throws {
            let daemon = try Self.filled()
            try daemon.pause()
            let stopped = try Self.run(["get", "users/"], daemon)
            try daemon.resume()
            expect(stopped == [])
            expect(try daemon.stop() == .code(0))
            expect(try Self.run(["get", "users/"], daemon) == [])
        }

        @Test func `at most a hundred names are printed, those that begin as the word does`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for number in 100..<300 { try client.expect(#"APPEND n-\#(number) {"type":"T\#(number)","data":1}"#) }
            let first = (100..<200).map { "n-\($0)" }
            expect(try Self.names(["read", "n-"], until: first, daemon) == first)
            let some = (250..<260).map { "n-\($0)" }
            expect(try Self.names(["read", "n-25"], until: some, daemon) == some)
        }

        @Test(arguments: [
            ("get users/0", "users/007 users/008"), ("get stories/", "stories/12"), ("list us", "users"),
            ("list notes --cus", "--customer"),
        ])
        func `bash completes words with them`(words: String, expected: String) throws {
            let daemon = try Self.filled()
            try daemon.client().expect(#"DEFINE notes "from note; customer: text; on Wrote { customer = 'a' }""#)
            let tool = try Program.path("storectl")
            let script = try daemon.storectl("completion", "bash").output
            let call = "_storectl; [[ \"${COMPREPLY[*]}\" == '\(expected)' ]] && break"
            let typed =
                "COMP_WORDS=('\(tool)' \(words)); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); for try in {1..20}; do \(call); done"
            let said = daemon.folder.place("said")
            let bash = try Program(
                [
                    "/bin/bash", "-c",
                    "export STORED_SOCKET='\(daemon.socket)'\n\(script)\n\(typed); echo \"${COMPREPLY[*]}\"",
                ], output: said, errors: said)
            expect(try bash.wait() == .code(0))
            expect(Files.text(said).hasSuffix("\(expected)\n"), "\(Files.text(said))")
        }
    }
}
