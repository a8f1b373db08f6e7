import Glibc
import TestSupport
import Testing

extension HostileTests {
    /// Too much at once, and what is no request at all.
    @Suite struct FloodTests {
        private static let mebibyte = 1 << 20

        @Test func `requests by the million that nobody reads an answer to are held back, not kept`() throws {
            let daemon = try RunningDaemon()
            let canary = try Canary(daemon)
            let client = try daemon.client()
            let before = daemon.anonymousMemory
            let count = HostileTests.scale.of(30_000, long: 1_000_000)
            let lines = (0..<count).map { number in
                switch number % 8 {
                case 0: "@\(number) HELP\n"
                case 1: "@\(number) GET users/u\(number)\n"
                case 2, 4: "@\(number) APPEND note-\(number % 7) {\"type\":\"A\",\"data\":\(number)}\n"
                case 3: "@\(number) nonsense\n"
                default: "@\(number) PING\n"
                }
            }
            let sender = client.sendBeside(Array(lines.joined().utf8))
            // Until it takes up nothing more, for want of somebody who reads.
            try daemon.client().waitForStandstill(of: "HELP")
            let greatest = daemon.anonymousMemory
            var answered = 0
            while answered < count {
                let line = try client.line()
                guard line.dropFirst().hasPrefix("@\(answered) ") else { break }
                if !line.hasPrefix("=") { answered += 1 }
            }
            expect(answered == count, "an answer is missing, or in another order")
            try sender.join()
            print("hostile: \(count) requests unread: memory grew by \((greatest - before) >> 10) KiB")
            // 4 MiB of answers, what the models hold, and the lines that were read. The answers are ten times as much.
            expect(greatest - before < 10 * Self.mebibyte, "memory grew by \((greatest - before) >> 10) KiB")
            try canary.end("\(count) requests before the first answer is read")
            expect(try daemon.stop() == .code(0))
        }

        @Test func `who writes faster than the disk commits is held back, and costs two commits' memory`() throws {
            let daemon = try RunningDaemon()
            let canary = try Canary(daemon)
            let client = try daemon.client()
            let before = daemon.anonymousMemory
            let line = Array(
                "APPEND note-1 {\"type\":\"A\",\"data\":\"\(String(repeating: "x", count: 20_000))\"}\n".utf8)
            let count = HostileTests.scale.of(10_000, long: 100_000)
            // Few blocks, so that this process needs less than it sends.
            let block = Array(repeatElement(line, count: 100).joined())
            let sender = client.sendBeside(block, times: count / 100)
            var greatest = 0
            for number in 1...count {
                expect(try client.line().number("position") == UInt64(number))
                if number % 50 == 0 { greatest = max(greatest, daemon.anonymousMemory) }
            }
            try sender.join()
            print("hostile: \(count) large events in a pipeline: memory grew by \((greatest - before) >> 10) KiB")
            expect(greatest - before < 32 * Self.mebibyte, "memory grew by \((greatest - before) >> 10) KiB")
            try canary.end("\(count) large events in a pipeline")
            expect(try daemon.stop() == .code(0))
        }

        @Test func `many who read no answer hold 64 MiB together, and little each beyond that`() throws {
            let daemon = try RunningDaemon()
            let canary = try Canary(daemon)
            let writer = try daemon.client()
            let user = #"POST users {"id":"a","name":"A","email":"a@example.org","prefecture":1}"#
            expect(try writer.ask(user).hasPrefix("+"))
            let text = String(repeating: "x", count: 9_000)
            let story = #"POST stories {"id":"1","title":"T","message":"\#(text)","sender":"a","recipient":"a"}"#
            expect(try writer.ask(story).hasPrefix("+"))
            let before = daemon.anonymousMemory
            let gets = Array(String(repeating: "GET stories/1\n", count: 1_000).utf8)
            let clients = try (0..<400).map { _ in try daemon.client() }
            for client in clients { expect(client.send(gets)) }
            var (grown, last) = (-1, 0)
            while grown != last {
                usleep(300_000)
                (last, grown) = (grown, daemon.anonymousMemory - before)
            }
            print("hostile: \(clients.count) clients that read nothing: memory grew by \(grown >> 10) KiB")
            expect(grown < 72 * Self.mebibyte + clients.count * 400_000, "memory grew by \(grown >> 10) KiB")
            for client in [clients.first, clients.last].compactMap(\.self) {
                for _ in 0..<1_000 { expect(try client.line().hasPrefix(#"+ {"id":"1","#)) }
            }
            for client in clients { client.hangUp() }
            try until("what is free again is given back") { daemon.anonymousMemory - before < 8 * Self.mebibyte }
            try canary.end("\(clients.count) clients that read nothing")
        }

        @Test func `a line without an end is cut off at the limit, is told so, and costs a line's memory`() throws {
            let daemon = try RunningDaemon()
            let canary = try Canary(daemon)
            let before = daemon.anonymousMemory
            let block = [UInt8](repeating: 0x78, count: 65_536)
            for _ in 0..<HostileTests.scale.of(4, long: 100) {
                let client = try daemon.client()
                var sent = 0
                while sent < 1_024 * Self.mebibyte, client.send(block) { sent += block.count }
                expect(sent < 4 * Self.mebibyte, "\(sent) bytes of one line were taken")
                expect(try client.line().text("code") == "tooLarge")
                expect(try client.nextLine() == nil)
            }
            let grown = daemon.anonymousMemory - before
            expect(grown < 16 * Self.mebibyte, "memory grew by \(grown >> 10) KiB")
            try canary.end("lines without an end")
        }

        @Test func `why a connection is ended can be read by who sends on`() throws {
            let daemon = try RunningDaemon()
            let more = [UInt8](repeating: 0x0A, count: Self.mebibyte)
            for _ in 0..<HostileTests.scale.of(20, long: 500) {
                let client = try daemon.client()
                client.send("HTTP/1.1 200 OK")
                client.send(more)
                expect(try client.line().hasPrefix(#"- {"code":"#))
                expect(try client.nextLine() == nil)
            }
        }

        @Test func `clients that ask and are gone before the answer bring nobody down`() throws {
            let daemon = try RunningDaemon()
            let writer = try daemon.client()
            for _ in 0..<5 { _ = try writer.ask(Load.append(to: "note-1", count: 20, size: 10_000)) }
            let canary = try Canary(daemon)
            for number in 0..<HostileTests.scale.of(300, long: 5_000) {
                let client = try LineSocket(daemon.socket)
                client.send(
                    "READ events\nSUBSCRIBE events from=1\nLIST users\nCHECKPOINT\nVERIFY\nAPPEND gone-1 {\"typ")
                if number % 2 == 0 { _ = try client.line() }
                client.hangUp()
            }
            try canary.end("clients that hang up at once")
            expect(try writer.ask("PING") == #"+ {"position":100}"#)
            try until("they are gone") { try writer.ask("STATS").number("connections") == 1 }
        }

        /// What may become nonsense by changing some bytes.
        private static let requests = [
            "PING", "STATS", "HELP LIST", "SORTS photos", "CHECKPOINT", "VERIFY", "UNSUBSCRIBE 1",
            "GET users/u1", "GET users/u1 at=2", "GET store://stories/s1 at=2026-11-20T00:00:00Z", "COUNT users",
            "LIST users prefecture=13 sort=name order=asc limit=3", "LIST messages between=u1,u2 unseen=true",
            "COUNT messages sender=u1 recipient=u2 unseen=true", "STREAMS note-* after=note-1 limit=2",
            "READ events from=1 to=5 limit=2 order=desc types=A,B", "READ events/note-1", "READ events/note-* from=2",
            "READ events/note-* tags=a,b:1 limit=2", "COUNT events tags=x", "SUBSCRIBE events from=1 types=None",
            "SUBSCRIBE users prefecture=13", "SUBSCRIBE users/u1",
            #"POST users {"id":"u1","name":"彩花","email":"u1@example.org","prefecture":13}"#,
            #"POST stories key=k1 {"title":"T","message":"M","sender":"u1","recipient":"u1"}"#,
            #"EDIT users/u1 version=1 meta="{\"app\":\"web\"}" {"name":"B"}"#, #"LIKE stories/s1 {"user":"u1"}"#,
            #"APPEND note-1 key=k2 {"type":"A","data":{"a":[1,2.5e3,null,true,"é\u00e9"]},"tags":["x"]}"#,
            #"APPEND * [{"stream":"a-1","version":0,"type":"A","data":1},{"stream":"b-1","type":"B","data":2}]"#,
        ]

        private static func changed(_ random: inout SplitMix64) -> [UInt8] {
            var line = Array((requests.randomElement(using: &random) ?? "PING").utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) where !line.isEmpty {
                let place = Int.random(in: 0..<line.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: line[place] = .random(in: 0...255, using: &random)
                case 1: line.insert(.random(in: 0...255, using: &random), at: place)
                case 2: line.remove(at: place)
                default: line.insert(contentsOf: line[place...].prefix(40), at: place)
                }
            }
            return line + [0x0A]
        }

        @Test func `changed lines and bytes at random are answered or cut off, and leave nothing behind`() throws {
            let daemon = try RunningDaemon()
            let canary = try Canary(daemon)
            var random = SplitMix64(seed: HostileTests.scale.seed)
            let (pid, before) = (daemon.pid, daemon.anonymousMemory)
            let streams = HostileTests.scale.of(300, long: 10_000)
            // Besides those to the first requests.
            var (answers, sent) = (0, 0)
            for number in 0..<streams {
                let client = try daemon.client()
                client.send("PING")
                var bytes: [UInt8] = []
                if number % 4 == 0 {
                    for _ in 0..<Int.random(in: 1...5_000, using: &random) {
                        bytes.append(random.oneIn(40) ? 0x0A : .random(in: 0...255, using: &random))
                    }
                } else {
                    for _ in 0..<100 { bytes += Self.changed(&random) }
                }
                sent += bytes.count { $0 == 0x0A }
                client.send(bytes)
                client.endSending()
                expect(try client.line().hasPrefix(#"+ {"position":"#), "the first request of stream \(number)")
                while let line = try client.nextLine() {
                    if line.hasPrefix("+") || line.hasPrefix("-") { answers += 1 }
                }
            }
            try canary.end("\(sent) changed lines")
            expect(daemon.pid == pid && daemon.exit == nil, "seed \(HostileTests.scale.seed)")
            expect((1...sent).contains(answers))
            let grown = daemon.anonymousMemory - before
            expect(grown < 50 * Self.mebibyte, "memory grew by \(grown >> 10) KiB")
            // What got in by chance is a log like any other.
            expect(try daemon.client().ask("VERIFY").hasPrefix("+"), "seed \(HostileTests.scale.seed)")
            expect(try daemon.stop() == .code(0))
            let replay = try daemon.storectl("replay", "--verify", offline: true)
            expect(replay.exit == .code(0), "seed \(HostileTests.scale.seed): \(replay.output)\(replay.errors)")
        }
    }
}
