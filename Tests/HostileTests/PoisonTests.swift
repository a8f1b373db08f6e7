import Foundation
import Glibc
import TestSupport
import Testing

extension HostileTests {
    /// Events that no program of this version would write, and directories that one of another version wrote.
    @Suite struct PoisonTests {
        /// Users, stories, a message and a photo, as requests.
        private static let content = [
            #"POST users {"id":"u1","name":"A","email":"a@x.org","prefecture":1}"#,
            #"POST users {"id":"u2","name":"B","email":"b@x.org","prefecture":2}"#,
            #"POST stories {"id":"s1","title":"One","message":"M","sender":"u1","recipient":"u2"}"#,
            #"POST stories {"id":"s2","title":"Two","message":"M","sender":"u1","recipient":"u2"}"#,
            #"POST messages {"id":"m1","text":"T","sender":"u1","recipient":"u2","story":"s1"}"#,
            #"POST photos {"id":"p1","owner":"u1","iso":100,"exposureValue":1,"exposureDuration":"1/8"}"#,
        ]

        /// Streams with their types, and what no form would have made of them.
        private static let poison: [(stream: String, type: String, data: String)] = [
            ("story-s1", "StoryRevised", #"{"title":5}"#), ("story-s1", "StoryRevised", #"{"title":null,"likes":-1}"#),
            ("story-s1", "StoryRevised", "[]"), ("story-s1", "StoryRevised", "null"),
            ("story-s1", "StoryExploded", #"{"title":"Boo"}"#), ("story-s1", "StoryLiked", #"{"user":{"a":1}}"#),
            ("story-s1", "StoryLiked", #"{"user":"nobody"}"#), ("story-s1", "StoryUnliked", #"{"user":"nobody"}"#),
            ("story-s1", "StoryPosted", #"{"title":"Again","message":"M","sender":"u9","recipient":"u9"}"#),
            ("story-s1", "UserSignedUp", #"{"name":"A","email":"a@x.org","prefecture":1}"#),
            ("story-s1", "StoryRevised", #"{"title":"\u0000\u001b[2J"}"#),
            ("story-s1", "StoryRevised", #"{"title":"\#(String(repeating: "long ", count: 100_000))"}"#),
            ("story-never", "StoryRevised", #"{"title":"of nothing"}"#), ("story-never", "StoryDeleted", "{}"),
            ("story-never", "StoryDeleted", "{}"), ("user-u9", "UserRevised", #"{"name":"nobody"}"#),
            ("user-u9", "UserSignedUp", #"{"name":"","email":"a@x.org","prefecture":-9}"#),
            ("user-u8", "UserSignedUp", #"{"name":1e308,"email":1e300,"prefecture":"13"}"#),
            ("message-m9", "MessageSeen", "{}"), ("message-m9", "MessageSent", #"{"text":[[[[]]]]}"#),
            ("photo-p9", "PhotoAdded", #"{"owner":"u1","iso":-0.0,"exposureValue":1e-400,"exposureDuration":"1/0"}"#),
            ("photo-p9", "PhotoExposureRevised", #"{"exposureDuration":"0/0"}"#),
            ("model-x", "A", "1"), ("system-x", "A", "1"), ("cursor-x", "A", "{}"),
        ]

        /// What answers about everything that is right.
        private static let questions = [
            "GET users/u1", "GET users/u2", "GET stories/s2", "GET messages/m1", "GET photos/p1", "LIST messages",
            "COUNT messages sender=u1", "COUNT photos", "READ events/story-s2",
        ]

        /// What asks for the rows that the poison is about.
        private static let own = [
            "GET stories/s1", "GET stories/s1 at=18", "GET stories/never", "GET users/u9", "GET messages/m9",
            "GET photos/p9", "LIST stories", "LIST stories sort=title", "LIST stories sort=likes",
            "LIST users sort=name",
            "LIST users sort=email", "LIST photos sort=iso", "LIST photos sort=exposureDuration",
            "COUNT messages sender=u9 recipient=u9", "STREAMS limit=100", "READ events limit=100",
        ]

        /// A log of what is right, and behind it what is not, as an export writes it.
        private static func exported(_ daemon: RunningDaemon) throws -> [String] {
            var lines = try daemon.storectl("export").output.split(separator: "\n").map(String.init)
            var versions: [String: Int] = ["story-s1": 1]
            for event in poison {
                let version = versions[event.stream, default: 0] + 1
                versions[event.stream] = version
                lines.append(
                    #"{"position":\#(lines.count + 1),"stream":"\#(event.stream)","version":\#(version),"#
                        + #""type":"\#(event.type)","time":"2099-01-01T00:00:00.000Z","by":0,"data":\#(event.data)}"#)
            }
            return lines
        }

        private static func answers(_ daemon: RunningDaemon) throws -> [[String]] {
            let client = try daemon.client()
            return try questions.map { question in
                client.send(question)
                var lines: [String] = []
                while lines.last.map({ $0.hasPrefix("+") || $0.hasPrefix("-") }) != true {
                    lines.append(try client.line())
                }
                // The log's end is another one.
                return lines.map { $0.hasPrefix("+ {\"count\"") ? String($0.prefix(11)) : $0 }
            }
        }

        @Test func `events that make no sense change nothing but what is theirs`() throws {
            let daemon = try RunningDaemon()
            let first = try daemon.client()
            for line in Self.content { expect(try first.ask(line).hasPrefix("+")) }
            let right = try Self.answers(daemon)
            let lines = try Self.exported(daemon)
            expect(try daemon.stop() == .code(0))
            try FileManager.default.removeItem(atPath: daemon.data)
            let text = lines.joined(separator: "\n") + "\n"
            let run = try daemon.storectl("import", "--force", offline: true, input: text)
            expect(run.exit == .code(0), "\(run.errors)")
            // As they come, over a start with stored models, and over one that folds all of it anew.
            for round in 1...3 {
                try daemon.start()
                let canary = try Canary(daemon)
                expect(try Self.answers(daemon) == right)
                let client = try daemon.client()
                for question in Self.own {
                    let answer = try client.ask(question)
                    expect(
                        answer.hasPrefix("+") || ["notFound", "gone"].contains(answer.text("code")),
                        "\(question): \(answer)")
                }
                let head = UInt64(lines.count + (round - 1) * 3)
                expect(try client.ask("VERIFY").number("verified") == head)
                expect(try client.ask(#"EDIT stories/s1 {"title":"Healed \#(round)"}"#).number("position") == head + 1)
                expect(try client.ask("GET stories/s1").text("title") == "Healed \(round)")
                let user = #"{"name":"C","email":"c\#(round)@x.org","prefecture":3}"#
                expect(try client.ask("POST users \(user)").number("position") == head + 2)
                expect(try client.ask(#"APPEND note-1 {"type":"A","data":{}}"#).number("position") == head + 3)
                client.hangUp()
                try canary.end("\(Self.poison.count) poison events, start \(round)")
                expect(try daemon.stop() == .code(0), "\(daemon.trace)")
                let replay = try daemon.storectl("replay", "--verify", offline: true)
                expect(replay.exit == .code(0), "\(replay.output)\(replay.errors)")
                if round == 2 { try FileManager.default.removeItem(atPath: daemon.data + "/models") }
            }
            expect(!daemon.trace.contains("defect") && !daemon.trace.contains("storage-error"), "\(daemon.trace)")
        }

        @Test func `what is as large or as deep as may be is kept as it is, and what is more is refused`() throws {
            let daemon = try RunningDaemon()
            let (canary, client) = (try Canary(daemon), try daemon.client())
            func data(_ count: Int) -> String {
                String(repeating: "[", count: count) + String(repeating: "]", count: count)
            }
            let kept = [
                data(62), #""\u0000\ud83d\ude00\u2028""#, "-9223372036854775808", "18446744073709551615", "1e308",
                "-0.0",
                #"{"":{"":""}}"#, #""\#(String(repeating: "é", count: 500_000))""#,
                "[\(Array(repeating: "0", count: 100_000).joined(separator: ","))]",
            ]
            for (number, data) in kept.enumerated() {
                let answer = try client.ask("APPEND note-1 {\"type\":\"A\",\"data\":\(data)}")
                expect(answer.number("position") == UInt64(number + 1), "\(data.prefix(60)): \(answer)")
            }
            for data in [
                data(65), data(100_000), #""\ud800""#, "1e999", "18446744073709551616", "NaN", "01", #"{"a":1,"a":2}"#,
                "{\((0...10_000).map { "\"\($0)\":0" }.joined(separator: ","))}", "",
            ] {
                // Three syntax errors in a row would end the connection.
                expect(try client.ask("PING").hasPrefix("+"))
                let answer = try client.ask("APPEND note-1 {\"type\":\"A\",\"data\":\(data)}")
                expect(answer.hasPrefix("-") && answer.text("code") != "internal", "\(data.prefix(60)): \(answer)")
            }
            let rows = try client.rows("READ events")
            for (row, data) in zip(rows, kept) { expect(row.hasSuffix(#""data":\#(data)}"#), "\(data.prefix(60))") }
            expect(rows.count == kept.count)
            try canary.end("large and deep events")
        }

        @Test func `a directory of a format that is not known yet is refused, and left as it is`() throws {
            let daemon = try RunningDaemon()
            _ = try daemon.client().ask(#"APPEND note-1 {"type":"A","data":{}}"#)
            expect(try daemon.stop() == .code(0))
            let path = daemon.data + "/FORMAT"
            let text = Files.text(path)
            try Files.write("storykeep 5\n" + text.split(separator: "\n").dropFirst().joined(separator: "\n"), to: path)
            let files = ["/FORMAT", "/log/data.mdb", "/log.journal", "/models/data.mdb"]
            let before = files.map { FileManager.default.contents(atPath: daemon.data + $0) }
            try daemon.launch()
            expect(try daemon.wait() == .code(2))
            expect(
                daemon.trace.contains("has format 5, and this program reads format 4: start a newer version"),
                "\(daemon.trace)")
            for tool in ["verify", "replay", "export"] {
                let run = try daemon.storectl(tool, offline: true)
                expect(run.exit != .code(0) && run.errors.contains("has format 5"), "\(tool): \(run.errors)")
            }
            expect(files.map { FileManager.default.contents(atPath: daemon.data + $0) } == before)
            try Files.write(text, to: path)
            try daemon.start()
            expect(try daemon.client().ask("PING") == #"+ {"position":1}"#)
        }
    }
}
