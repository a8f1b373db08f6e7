import Foundation
import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// What `storectl` does with a whole log, asking the daemon or reading the files.
    @Suite struct ToolTests {
        private static func filled() throws -> RunningDaemon {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for line in [
                #"POST users {"id":"7","name":"A","email":"a@example.org","prefecture":3}"#,
                #"APPEND note-1 key=k [{"type":"A","data":{ "x" : 1.50 },"tags":["t:1"]}]"#,
                #"APPEND note-2 {"type":"B","data":"\u00e9","meta":{"m": 1}}"#,
            ] { expect(try client.ask(line).hasPrefix("+")) }
            for _ in 0..<30 { expect(try client.ask(Load.append(to: "load-1", count: 500, size: 50)).hasPrefix("+")) }
            return daemon
        }

        /// The name of a daemon's history.
        private static func log(_ daemon: RunningDaemon) throws -> String? {
            let greeting = try LineSocket(daemon.socket).nextLine()
            return greeting?.firstMatch(of: /"log":"([^"]+)"/).map { String($0.1) }
        }

        @Test func `export writes what READ answers, asked or read, whole or in part`() throws {
            let daemon = try Self.filled()
            let client = try daemon.client()
            let first = try client.rows("READ events limit=10000")
            let last = try client.rows("READ events from=10001 limit=10000")
            let all = (first + last).map { String($0.dropFirst(2)) }
            expect(all.count == 15_003)
            for offline in [false, true] {
                if offline { expect(try daemon.stop() == .code(0)) }
                func export(_ arguments: String...) throws -> [String] {
                    let run = try daemon.storectl(arguments: ["export"] + arguments, offline: offline)
                    expect(run.exit == .code(0) && run.errors == "", "\(run.errors)")
                    return run.output.split(separator: "\n").map(String.init)
                }
                expect(try export() == all)
                expect(try export("--types", "A,B") == all[1...2].map { $0 })
                expect(try export("--from", "2", "--to", "3") == all[1...2].map { $0 })
                expect(try export("--to", "1970-01-01T00:00:00Z") == [])
                expect(try export("--from", "2000-01-01T00:00:00Z", "--to", "12000") == all[..<12_000].map { $0 })
            }
            expect(try daemon.storectl("export", "--from", "soon", offline: true).exit == .code(2))
            expect(try daemon.storectl("export", "--from", "1", "--since", "1", offline: true).exit == .code(2))
        }

        @Test func `an export as CSV has a heading, and JSON in its cells`() throws {
            let daemon = try Self.filled()
            for offline in [false, true] {
                if offline { expect(try daemon.stop() == .code(0)) }
                let run = try daemon.storectl(
                    "export", "--csv", "--since", "2000-01-01T00:00:00Z", "--to", "3", offline: offline)
                let lines = run.output.split(separator: "\n").map(String.init)
                expect(run.exit == .code(0) && lines.count == 4, "\(run.errors)")
                expect(lines.first == "position,stream,version,type,time,by,key,tags,meta,data")
                expect(lines[2].hasPrefix("2,note-1,1,A,2"))
                expect(lines[2].hasSuffix(#",k,"[""t:1""]",,"{ ""x"" : 1.50 }""#), "\(lines[2])")
                expect(lines[3].hasSuffix(#",,,"{""m"": 1}","""\u00e9""""#), "\(lines[3])")
            }
        }

        @Test func `tail prints the rows of a list as they are, then as they change`() throws {
            let daemon = try Self.filled()
            let client = try daemon.client()
            let row = try daemon.storectl("tail", "users/7", "--limit", "1")
            expect(row.exit == .code(0) && row.errors == "", "\(row.errors)")
            expect(row.output.hasPrefix(#"{"position":1,"row":{"id":"7","version":1,"position":1,"name":"A","#))
            for id in 8...9 {
                let form = #"{"id":"\#(id)","name":"B","email":"\#(id)@example.org","prefecture":\#(id)}"#
                expect(try client.ask("POST users \(form)").hasPrefix("+"))
            }
            let list = try daemon.storectl("tail", "users", "--prefecture", "9", "--limit", "1")
            expect(list.output.contains(#""row":{"id":"9","#))
            let refused = try daemon.storectl("tail", "users", "--from", "1")
            expect(refused.exit == .code(2) && refused.errors.contains("from"), "\(refused.errors)")
        }

        @Test func `replay writes the rows as they were into files`() throws {
            let daemon = try Self.filled()
            expect(try daemon.client().ask(#"EDIT users/7 {"name":"Z"}"#).hasPrefix("+"))
            let place = daemon.folder.place("rows")
            expect(try daemon.storectl("replay", "--out", place, "--to", "3").exit == .code(0))
            func file(_ name: String) throws -> String {
                try String(contentsOfFile: "\(place)/\(name)", encoding: .utf8)
            }
            expect(try file("users.ndjson").contains(#""name":"A""#))
            expect(try file("streams.ndjson").split(separator: "\n").count == 3)
            expect(try file("stories.ndjson").isEmpty)
            expect(try daemon.storectl("replay", "--out", place).exit == .code(2))
            for offline in [false, true] {
                let beyond = try daemon.storectl("replay", "--to", "15005", offline: offline)
                expect(beyond.exit == .code(1) && beyond.output.isEmpty)
                expect(beyond.errors.contains("the log ends at 15004; --to cannot be later"), "\(beyond.errors)")
            }
            let now = daemon.folder.place("now")
            expect(try daemon.storectl("replay", "--out", now, "--model", "users").exit == .code(0))
            let row = try daemon.client().ask("GET users/7").dropFirst(2)
            expect(try String(contentsOfFile: now + "/users.ndjson", encoding: .utf8) == row + "\n")
            expect(try FileManager.default.contentsOfDirectory(atPath: now) == ["users.ndjson"])
        }

        @Test func `tail goes on over a daemon that was killed, without a gap, and stops at the end`() throws {
            let daemon = try Self.filled()
            let (output, errors) = (daemon.folder.place("tail"), daemon.folder.place("tail-errors"))
            let command = [
                try Program.path("storectl"), "--json", "--socket", daemon.socket, "tail", "--from", "15000", "--limit",
                "9",
            ]
            let tail = try Program(command, output: output, errors: errors)
            try until("the last events are printed") { Files.text(output).contains("\"position\":15003,") }
            for number in 1...5 {
                try daemon.kill()
                try daemon.start()
                expect(try daemon.client().ask("APPEND load-9 {\"type\":\"T\",\"data\":\(number)}").hasPrefix("+"))
            }
            expect(try tail.wait() == .code(0))
            let positions = Files.text(output).matches(of: /"position":([0-9]+)/).map { String($0.1) }
            expect(positions == (15_000...15_008).map(String.init))
            expect(Files.text(errors).contains("connected again"))
            let end = try daemon.storectl("--json", "tail", "--until-end", "--types", "T")
            expect(end.exit == .code(0) && end.output.split(separator: "\n").count == 5, "\(end.errors)")
            let since = try daemon.storectl("tail", "--until-end", "--from", "2000-01-01T00:00:00Z", "--limit", "3")
            expect(since.output.split(separator: "\n").count == 3)
        }

        @Test func `verify asks the daemon, or reads the files, and both find the same`() throws {
            let daemon = try Self.filled()
            let asked = try daemon.storectl("verify")
            expect(asked.exit == .code(0))
            expect(asked.output == "verified: every one of 15003 events is as it was written\n")
            let beside = try daemon.storectl("verify", offline: true)
            expect(beside.exit == .code(0) && beside.output == asked.output, "\(beside.errors)")
            let json = try daemon.storectl("--json", "verify")
            expect(json.output.hasPrefix(#"{"verified":15003,"position":15003,"seal":""#), "\(json.output)")
            expect(try daemon.storectl("--json", "verify", offline: true).output == json.output)
            expect(try daemon.stop() == .code(0))
            expect(try daemon.storectl("verify", offline: true).output == asked.output)
            expect(try daemon.storectl("--json", "verify", offline: true).output == json.output)
        }

        @Test func `backup makes a copy that verifies and exports the same`() throws {
            let daemon = try Self.filled()
            let place = daemon.folder.place("copy")
            let run = try daemon.storectl("--json", "backup", place)
            expect(
                run.exit == .code(0) && run.output == "{\"backup\":\"\(place)\",\"position\":15003}\n", "\(run.errors)")
            expect(try daemon.storectl("backup", place).exit == .code(1), "a backup replaces nothing")
            let copy = try RunningDaemon(data: place)
            expect(try copy.storectl("verify").exit == .code(0))
            expect(try copy.storectl("export").output == daemon.storectl("export").output)
        }

        @Test func `import makes a store that exports what it was made of, byte for byte`() throws {
            let daemon = try Self.filled()
            let client = try daemon.client()
            expect(
                try client.ask(#"APPEND * [{"stream":"a-1","type":"A","data":1},{"stream":"b-1","type":"A","data":2}]"#)
                    .hasPrefix("+"))
            let lines = try daemon.storectl("export").output
            let place = daemon.folder.place("imported")
            mkdir(place, 0o700)
            let run = try daemon.storectl("--data", place, "import", input: lines)
            expect(run.exit == .code(0) && run.output == "imported: 15005 events\n", "\(run.errors)")
            expect(try daemon.storectl("--data", place, "export").output == lines)
            expect(
                try daemon.storectl("--data", place, "import", input: lines).exit == .code(2), "nothing is replaced")
            let copy = try RunningDaemon(data: place)
            let reader = try copy.client()
            expect(try reader.ask("GET users/7") == client.ask("GET users/7"))
            expect(
                try reader.ask(#"APPEND note-1 key=k [{"type":"A","data":{ "x" : 1.50 },"tags":["t:1"]}]"#).contains(
                    "\"position\":2"))
            expect(try reader.ask(#"APPEND note-2 version=1 {"type":"B","data":1}"#).contains("\"position\":15006"))
            expect(try copy.stop() == .code(0))
            expect(try copy.storectl("verify", offline: true).exit == .code(0))
            expect(try copy.storectl("replay", "--verify", offline: true).exit == .code(0))
            expect(try copy.storectl("export", offline: true).output.hasPrefix(lines))
        }

        @Test func `an import that is refused names the line and the member, and leaves nothing`() throws {
            let daemon = try RunningDaemon()
            let place = daemon.folder.place("imported")
            func event(
                _ position: Int, _ more: String = "", stream: String = "a-1", version: Int? = nil,
                time: String = "2026-01-02T03:04:05.678Z"
            ) -> String {
                #"{"position":\#(position),"stream":"\#(stream)","version":\#(version ?? position),"type":"A","time":"\#(time)","by":7\#(more),"data":1}"#
            }
            let wrong: [(lines: [String], says: String, code: Int32)] = [
                (["{"], "line 1: ", 2), (["[]"], "line 1: an event is a JSON object", 2),
                ([event(2)], "line 1: position: the position after 0 is 1, not 2", 1),
                ([event(1), event(1, version: 2)], "line 2: position: ", 1),
                ([event(1), event(2, version: 3)], "line 2: version: the next version of a-1 is 2, not 3", 1),
                ([event(1), event(2, stream: "b-1")], "line 2: version: the next version of b-1 is 1, not 2", 1),
                ([event(1), event(2, time: "2026-01-02T03:04:05.677Z")], "line 2: time: ", 1),
                ([event(1), event(2, time: "yesterday")], "line 2: time: ", 1),
                ([event(1, #","key":"k""#), event(2), event(3, #","key":"k""#)], "line 3: key: the key k ", 1),
                ([event(1, #","tags":["a b"]"#)], "line 1: tags: ", 1),
                ([event(1, #","meta":1"#)], "line 1: meta: ", 1),
                ([event(1, #","more":1"#)], "line 1: more: an event has ", 1),
                ([event(1, stream: "a")], "line 1: stream: a stream is CATEGORY-ID", 1),
                ([#"{"position":1,"stream":7,"type":"","by":-1}"#], "line 1: stream: stream is a string; type: ", 1),
                ([event(1), "", event(3)], "line 3: position: ", 1),
            ]
            for (lines, says, code) in wrong {
                let run = try daemon.storectl("--data", place, "import", input: lines.joined(separator: "\n"))
                expect(run.exit == .code(code) && run.output == "", "\(run.errors)")
                expect(run.errors.contains(says) && run.errors.contains("nothing was imported"), "\(run.errors)")
            }
            expect(
                try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path).allSatisfy {
                    !$0.hasPrefix("imported")
                })
            let none = try daemon.storectl("--data", place, "import")
            expect(none.exit == .code(0) && none.output == "imported: 0 events\n", "\(none.errors)")
            let shuffled =
                #"{ "data" : {"a": [1 , 2]}, "by":7,"time":"2026-01-02T04:04:05.678+01:00","type":"A","version":1,"stream":"a-1","position":1 }"#
            let other = place + "-2"
            expect(try daemon.storectl("--data", other, "import", input: shuffled).exit == .code(0))
            expect(
                try daemon.storectl("--data", other, "export").output
                    == #"{"position":1,"stream":"a-1","version":1,"type":"A","time":"2026-01-02T03:04:05.678Z","by":7,"data":{"a": [1 , 2]}}"#
                    + "\n")
        }

        @Test func `queries out of a data directory are answered as the daemon answers them`() throws {
            let daemon = try Self.filled()
            let client = try daemon.client()
            for id in 0..<60 {
                let form = #"{"id":"\#(id)","title":"T\#(id % 7)","message":"M","sender":"7","recipient":"7"}"#
                expect(try client.ask("POST stories \(form)").hasPrefix("+"))
            }
            expect(try client.ask("LIKE stories/3 {\"user\":\"7\"}").hasPrefix("+"))
            let questions = [
                ["get", "users/7"], ["get", "stories/3"], ["get", "stories/3", "--at", "15070"],
                ["get", "stories/none"],
                ["list", "stories", "--sort", "title", "--limit", "7"], ["list", "stories", "--sender", "8"],
                ["list", "stories", "--limit", "1000"], ["list", "stories", "--order", "up"],
                ["count", "stories", "--sender", "7"],
                ["read", "note-1"], ["read", "--limit", "20000"], ["read", "load-*", "--from", "100", "--limit", "3"],
                ["streams"], ["streams", "note-*"], ["list", "nothing"],
            ]
            for question in questions {
                for form in [[], ["--json"]] {
                    let asked = try daemon.storectl(arguments: form + question)
                    let read = try daemon.storectl(arguments: form + question, offline: true)
                    expect(read.exit == asked.exit && read.output == asked.output, "\(question): \(read.errors)")
                    expect(read.errors == asked.errors, "\(question)")
                }
            }
            expect(try daemon.storectl("post", "users", "--name", "B", offline: true).exit == .code(2))
        }

        @Test func `restore makes a store of a backup, which names its parent`() throws {
            let daemon = try Self.filled()
            let (backup, place) = (daemon.folder.place("copy"), daemon.folder.place("restored"))
            expect(try daemon.storectl("backup", backup).exit == .code(0))
            let run = try daemon.storectl("--data", place, "restore", backup)
            expect(run.exit == .code(0) && run.output == "restored: 15003 events\n", "\(run.errors)")
            expect(try daemon.storectl("--data", place, "restore", backup).exit == .code(2), "nothing is replaced")
            expect(try daemon.storectl("--data", place, "export").output == daemon.storectl("export").output)
            let log = try require(try Self.log(daemon))
            let restored = try RunningDaemon(data: place)
            let reader = try restored.client()
            expect(try reader.rows("READ events from=15003 log=\(log)").count == 1)
            expect(try Self.log(restored) != log)
            // Damage is found before anything has the name.
            expect(try Files.replace("\"needle\"", by: "\"noodle\"", in: backup + "/log/data.mdb") == 0)
            expect(
                try Files.replace("\"stream\":\"note-2\"", by: "\"stream\":\"note-3\"", in: backup + "/log/data.mdb")
                    > 0)
            let refused = try daemon.storectl("--data", place + "-2", "restore", backup)
            expect(refused.exit == .code(5) && refused.errors.contains("position 3"), "\(refused.errors)")
            expect(Files.mode(place + "-2") == nil)
        }

        @Test func `damage of the log or of its journal is named by its first position, with exit 5`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for number in 100..<300 {
                expect(try client.ask(#"APPEND note-1 {"type":"A","data":"needle-\#(number)"}"#).hasPrefix("+"))
            }
            expect(try daemon.stop() == .code(0))
            expect(try Files.replace("needle-177", by: "needle-x77", in: daemon.data + "/log/data.mdb") > 0)
            for file in ["", "/log.journal"] {
                if !file.isEmpty { _ = try Files.replace("needle-177", by: "needle-x77", in: daemon.data + file) }
                let run = try daemon.storectl("verify", offline: true)
                expect(run.exit == .code(5))
                expect(run.errors.contains("damaged: the event at position 78 "), "\(run.errors)")
            }
        }
    }
}
