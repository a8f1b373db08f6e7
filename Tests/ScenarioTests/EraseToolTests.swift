import TestSupport
import Testing

extension DaemonTests {
    /// `storectl erase` and `erasures`, and events in the tool once their content is erased.
    @Suite struct EraseToolTests {
        private static let question = "type order-7 to erase this for ever; anything else keeps it: "
        private static let receipt = "erased: 2 events of 1 stream, 29 B; key or tags of 1 stay; erasure 1, position 5"

        /// Two events of one order and one of another, at the positions 1 to 3.
        private func filled() throws -> RunningDaemon {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            try client.expect(#"APPEND order-7 {"type":"Placed","data":{"name":"ann"},"tags":["customer:9"]}"#)
            try client.expect(#"APPEND order-7 {"type":"Paid","data":{"card":"4711"}}"#)
            try client.expect(#"APPEND order-8 {"type":"Placed","data":{"name":"bob"}}"#)
            return daemon
        }

        private func begin(_ words: String..., on daemon: RunningDaemon) throws -> Pseudoterminal {
            let environment = ["TERM=xterm", "NO_COLOR=1", "HOME=\(daemon.folder.path)"]
            return try Pseudoterminal(
                [try Program.path("storectl"), "--socket", daemon.socket] + words,
                environment: environment + SanitizerSettings.environment)
        }

        @Test func `an erasure is carried out, and no data is shown behind it`() throws {
            let daemon = try filled()
            let run = try daemon.storectl("erase", "order-7", "--reason", "asked for", "--yes")
            expect(run.exit == .code(0) && run.output == Self.receipt + "\n", "\(run)")
            let read = try daemon.storectl("read", "order-7")
            let lines = read.output.split(separator: "\n")
            expect(lines.count == 2 && lines[0].hasSuffix("  order-7@1  Placed  erased by 4"), "\(read)")
            expect(lines.last?.hasSuffix("  order-7@2  Paid  erased by 4") == true)
            expect(try daemon.storectl("tail", "order-7", "--until-end").output == read.output)
            expect(try daemon.storectl("read", "order-8").output.hasSuffix(#"  Placed  {"name":"bob"}"# + "\n"))
            let events = try daemon.client().rows("READ events").map { String($0.dropFirst(2)) }
            expect(events.count == 5 && events[0].hasSuffix(#","tags":["customer:9"],"erased":4}"#), "\(events)")
            for offline in [false, true] {
                if offline { expect(try daemon.stop() == .code(0), "\(daemon.trace)") }
                let export = try daemon.storectl("export", offline: offline)
                expect(export.output == events.joined(separator: "\n") + "\n", "\(export)")
                let rows = try daemon.storectl("export", "--csv", offline: offline).output.split(separator: "\n")
                try require(rows.count == 6, "\(rows)")
                expect(rows[1].hasPrefix("1,order-7,1,Placed,2"), "\(rows)")
                expect(rows[1].hasSuffix(#",,"[""customer:9""]",,"#), "\(rows)")
                expect(rows[2].hasSuffix(",,,,") && rows[3].hasSuffix(#",,,,"{""name"":""bob""}""#), "\(rows)")
            }
        }

        @Test func `a dry run shows what would be taken, and takes nothing`() throws {
            let daemon = try filled()
            let run = try daemon.storectl("erase", "order-*", "--dry-run")
            let table = "stream   events  bytes  labelled\norder-7  2       29     1\norder-8  1       14     0\n"
            expect(run.output == table + "3 events of 2 streams, 43 B; key or tags of 1 stay\n", "\(run)")
            let json = try daemon.storectl("--json", "erase", "order-7", "--types", "Paid", "--dry-run")
            let lines = [
                #"{"stream":"order-7","events":1,"bytes":15,"labelled":0}"#,
                #"{"events":1,"streams":1,"bytes":15,"labelled":0,"position":3}"#,
            ]
            expect(json.output == lines.joined(separator: "\n") + "\n", "\(json)")
            let tagged = try daemon.storectl("erase", "events", "--tags", "customer:9", "--dry-run", "--reason", "r")
            expect(tagged.output.hasSuffix("\n1 event of 1 stream, 14 B; key or tags of 1 stay\n"), "\(tagged)")
            expect(try daemon.storectl("export").output.contains(#""card":"4711""#))
            expect(try daemon.storectl("erasures", "--csv", "--columns", "id").output == "id\n")
        }

        @Test func `without a terminal it has to be confirmed by an option, and each refusal has its code`() throws {
            let daemon = try filled()
            let doubtful = try daemon.storectl("erase", "order-7", "--reason", "asked for")
            expect(doubtful.exit == .code(2) && doubtful.output.isEmpty, "\(doubtful)")
            expect(doubtful.errors.contains("give --yes, or --expect N"), "\(doubtful)")
            for (words, code, part) in [
                (["order-7", "--yes"], 2, "needs --reason"),
                (["order-7", "--expect", "3"], 1, "2 events are taken, not 3"), (["none-1", "--yes"], 1, "notFound: "),
                (["events", "--yes"], 1, "takes a stream, a category or tags"),
                (["story-1", "--yes"], 3, "denied: story is a category of the store's own"),
                (["order-7", "--expect", "0"], 1, "--expect is 1 to "),
            ] {
                let reason = words == ["order-7", "--yes"] ? [] : ["--reason", "asked for"]
                let run = try daemon.storectl(arguments: ["erase"] + words + reason)
                expect(run.exit == .code(Int32(code)) && run.errors.contains(part), "\(words): \(run)")
            }
            expect(try daemon.storectl("export").output.contains(#""card":"4711""#))
            let first = try daemon.storectl("erase", "order-7", "--reason", "asked for", "--expect", "2", "--key", "k")
            expect(first.output == Self.receipt + "\n", "\(first)")
            let again = try daemon.storectl("erase", "order-7", "--reason", "asked for", "--yes", "--key", "k")
            expect(again.exit == .code(0) && again.output == first.output, "\(again)")
            let gone = try daemon.storectl("--json", "erase", "order-7", "--reason", "asked for", "--yes")
            expect(gone.exit == .code(1) && gone.errors.contains(#""code":"gone""#), "\(gone)")
            expect(gone.errors.contains(#""erased":4"#), "\(gone)")
        }

        @Test func `a row and a user are erased by their addresses`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for (id, name) in [("007", "Aya"), ("008", "Ben")] {
                let user = #"{"id":"\#(id)","name":"\#(name)","email":"\#(name)@e.org","prefecture":13}"#
                try client.expect("POST users \(user)")
            }
            for id in 1...2 {
                try client.expect(
                    #"POST stories {"id":"\#(id)","title":"T","message":"M","sender":"007","recipient":"008"}"#)
            }
            let story = try daemon.storectl("erase", "stories/1", "--reason", "asked for", "--yes")
            expect(story.exit == .code(0) && story.output.hasPrefix("erased: 1 event of 1 stream, "), "\(story)")
            let gone = try daemon.storectl("get", "stories/1")
            expect(gone.exit == .code(1) && gone.errors.contains("was erased, by the event at position 5"), "\(gone)")
            let dry = try daemon.storectl("erase", "users/007", "--scope", "own", "--labels", "drop", "--dry-run")
            expect(dry.output.hasPrefix("stream    events") && dry.output.contains("\nuser-007 "), "\(dry)")
            expect(dry.output.contains("\nstory-2 ") && !dry.output.contains("stay"), "\(dry)")
            let user = try daemon.storectl("erase", "users/007", "--labels", "drop", "--reason", "r", "--expect", "2")
            expect(user.exit == .code(0), "\(user)")
            let columns = try daemon.storectl("erasures", "--csv", "--columns", "target,scope,labels")
            expect(columns.output == "target,scope,labels\nstories/1,,keep\nusers/007,own,drop\n", "\(columns)")
            let wrong = try daemon.storectl("erase", "stories/2", "--scope", "all", "--reason", "r", "--yes")
            expect(wrong.exit != .code(0) && wrong.errors.contains("scope"), "\(wrong)")
        }

        @Test func `on a terminal the target's name has to be typed`() throws {
            let daemon = try filled()
            for (typed, code) in [("order-8\r", 1), ("\r", 1), ("\u{4}", 1), ("\u{3}", 130)] as [(String, Int32)] {
                let terminal = try begin("erase", "order-7", "--reason", "asked for", on: daemon)
                try terminal.waitFor("order-7  2       29     1")
                try terminal.waitFor(Self.question)
                terminal.type(typed)
                expect(try terminal.wait() == code, "\(terminal.screen)")
                expect(terminal.screen.contains("nothing was erased") == (code == 1) && terminal.isPlain)
            }
            // Events that came after those were shown are not erased unseen.
            let late = try begin("erase", "order-7", "--reason", "asked for", on: daemon)
            try late.waitFor(Self.question)
            try daemon.client().expect(#"APPEND order-7 {"type":"Sent","data":1}"#)
            late.type("order-7\r")
            expect(try late.wait() == 1)
            expect(late.screen.contains("3 events are taken, not 2"), "\(late.screen)")
            expect(try daemon.storectl("export").output.contains(#""card":"4711""#))
            let terminal = try begin("erase", "order-7", "--to", "2", "--reason", "asked for", on: daemon)
            try terminal.waitFor(Self.question)
            terminal.type("order-7\r")
            try terminal.waitFor("erased: 2 events of 1 stream, 29 B")
            expect(try terminal.wait() == 0)
            expect(try !daemon.storectl("export").output.contains("4711"))
        }

        @Test func `erasures are listed as a table, as separated values and as JSON`() throws {
            let daemon = try filled()
            for (target, reason) in [("order-7", "asked for"), ("order-8", "asked for, too")] {
                expect(try daemon.storectl("erase", target, "--reason", reason, "--yes").exit == .code(0))
            }
            let columns = "id,target,events,bytes,state,reason,position,done"
            let csv = try daemon.storectl("erasures", "--csv", "--columns", columns)
            let rows = [
                "1,events/order-7,2,29,done,asked for,4,5", #"2,events/order-8,1,14,done,"asked for, too",6,7"#,
            ]
            expect(csv.output == ([columns] + rows).joined(separator: "\n") + "\n", "\(csv)")
            let table = try daemon.storectl("erasures", "--after", "1").output.split(separator: "\n")
            let heading = "id  target          events  bytes  state  reason          position "
            let row = "2   events/order-8  1       14     done   asked for, too  6 "
            expect(table.count == 2 && table[0].hasPrefix(heading) && table[1].hasPrefix(row), "\(table)")
            let json = try daemon.storectl("--json", "erasures", "--limit", "1")
            expect(json.output.hasPrefix(#"{"id":"1","position":4,"done":5,"target":"events/order-7","#), "\(json)")
            expect(json.errors == #"{"next":"1"}"# + "\n", "\(json)")
            expect(try daemon.stop() == .code(0))
            expect(try daemon.storectl("erasures", "--csv", "--columns", columns, offline: true).output == csv.output)
        }

        @Test func `the prompt shows a dry run as a table, and the erasures with their state`() throws {
            let daemon = try filled()
            let terminal = try begin("prompt", on: daemon)
            try terminal.waitFor("story> ")
            terminal.type(#"ERASE events/order-7 reason="asked for" dry=true"# + "\r")
            try terminal.waitFor("order-7  2       29     1")
            try terminal.waitFor("streams             1")
            terminal.type(#"ERASE events/order-7 reason="asked for""# + "\r")
            try terminal.waitFor("media               ")
            terminal.type("ERASURES\r")
            try terminal.waitFor("1   events/order-7  2       29     done   asked for")
            try terminal.waitFor("(1, position 5)")
            terminal.type("\u{4}")
            expect(try terminal.wait() == 0)
        }

        @Test func `a replica names the store that takes writes, and the tool asks that one`() throws {
            let source = try filled()
            let replica = try ReplicaTests.replica(of: source)
            _ = try ReplicaTests.settle(replica, source)
            let run = try replica.storectl("erase", "order-7", "--reason", "asked for", "--yes")
            expect(run.exit == .code(0) && run.output == Self.receipt + "\n", "\(run)")
            let events = try source.client().rows("READ events/order-7")
            expect(events.count == 2 && events.allSatisfy { $0.hasSuffix(#""erased":4}"#) }, "\(events)")
            expect(try source.stop() == .code(0))
            let alone = try replica.storectl("erase", "order-8", "--reason", "asked for", "--yes")
            expect(alone.exit == .code(3) && alone.errors.contains("send it to \(source.socket)"), "\(alone)")
        }
    }
}
