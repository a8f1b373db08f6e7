import Foundation
import StoryCore
import TestSupport
import Testing

/// Searches for words at a daemon that is killed, copied, followed, and asked by the tool.
@Suite(.timeLimit(.minutes(3))) struct FindScenarioTests {
    private static func append(_ numbers: ClosedRange<Int>, _ client: LineSocket) throws {
        for number in numbers {
            try client.expect(
                #"APPEND note-\#(number % 5) {"type":"Wrote","data":{"text":"Spring Café \#(number), 日本語のテキスト"}}"#)
        }
    }

    private static func found(_ client: LineSocket, _ words: String) throws -> [Int] {
        try client.rows(#"FIND events words="\#(words)" limit=1000 order=asc"#).map { Int($0.number("position") ?? 0) }
    }

    @Test func `whatever is acknowledged is found after each kill, and the index is kept`() throws {
        let daemon = try RunningDaemon()
        var head = 0
        for round in 0..<6 {
            let client = try daemon.client()
            for _ in 0..<4 {
                try Self.append(head + 1...head + 25, client)
                head += 25
                expect(try Self.found(client, "cafe 本語") == Array(1...head))
            }
            if round % 2 == 0 { try daemon.kill() } else { _ = try daemon.stop() }
            try daemon.start()
            expect(try Self.found(daemon.client(), "\(head - 3)") == [head - 3])
        }
        expect(!daemon.trace.contains("find-anew") && !daemon.trace.contains("find-behind"))
    }

    @Test func `copies and replicas make their own index, and a directory without a daemon needs none`() throws {
        let daemon = try RunningDaemon()
        try Self.append(1...40, daemon.client())
        expect(try Self.found(daemon.client(), "cafe").count == 40)
        let copy = daemon.folder.place("copy")
        try daemon.client().expect(#"BACKUP "\#(copy)""#)
        expect(!Files.exists(copy + "/find"))
        let offline = try daemon.storectl("--data", copy, "find", "spring", "--limit", "3")
        let lines = offline.output.split(separator: "\n")
        expect(offline.exit == .code(0) && lines.map { $0.prefix { $0.isNumber } } == ["40", "39", "38"])
        let replica = try RunningDaemon(options: ["--follow", daemon.socket])
        let reader = try replica.client()
        try reader.expect("PING min=40")
        expect(try Self.found(reader, "cafe") == Array(1...40))
        try Self.append(41...50, daemon.client())
        let answer = try reader.rows("FIND events words=cafe min=now limit=1000")
        expect(answer.count == 50)
    }

    @Test func `a check of the log compares the words, of events and of rows`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        try Self.append(1...40, client)
        try client.expect(#"POST users {"id":"a","name":"Aya","email":"a@example.org","prefecture":1}"#)
        try client.expect(#"POST stories {"id":"s","title":"Spring","message":"It.","sender":"a","recipient":"a"}"#)
        try client.expect(#"EDIT stories/s {"message":"It went."}"#)
        try client.expect("LIKE stories/s {\"user\":\"a\"}")
        expect(try !client.ask("VERIFY").contains("words"), "there is no index yet")
        expect(try client.rows("FIND stories words=went").count == 1)
        expect(try client.ask("VERIFY").number("words") == 44)
        let run = try daemon.storectl("verify")
        expect(run.output.contains("the index of words has their words through 44"), "\(run)")
        try client.expect("DELETE stories/s")
        expect(try client.rows("FIND stories words=went").isEmpty)
        try client.expect(#"ERASE events/note-1 reason="asked for""#)
        expect(try client.ask("FIND events words=cafe").hasPrefix("+"))
        let verified = try client.ask("VERIFY")
        expect(verified.number("words") == verified.number("verified"), "\(verified)")
    }

    @Test func `a check tells how many events are not yet in the index`() throws {
        let daemon = try RunningDaemon()
        try Self.append(1...4, daemon.client())
        let none = try daemon.storectl("check", "--warning", "find=0")
        expect(none.exit == .code(0) && none.output.contains("find=U;0"))
        expect(try Self.found(daemon.client(), "cafe").count == 4)
        expect(try daemon.storectl("check", "--warning", "find=0").output.contains("find=0;0"))
        expect(try !daemon.storectl("check").output.contains("find"))
    }

    @Test func `the tool finds words, quotes what the shell took quotes from, and says how to go on`() throws {
        let daemon = try RunningDaemon()
        try Self.append(1...60, daemon.client())
        func find(_ words: String...) throws -> (lines: Int, run: RunningDaemon.Run) {
            let run = try daemon.storectl(arguments: ["find"] + words)
            return (run.output.split(separator: "\n").count, run)
        }
        expect(try find("spring", "cafe").lines == 50)
        expect(try find("spring", "cafe").run.errors.contains("repeat with --from 10"))
        expect(try find("events/note-2", "cafe").lines == 12)
        expect(try find("note-*", "spr*", "-café").lines == 0)
        expect(try find("Spring Café", "--limit", "60").lines == 60)
        expect(try find("Café Spring", "--limit", "60").lines == 0)
        expect(try find("17").run.output.contains("note-2@4  Wrote"))
        let none = try find()
        expect(none.run.exit == .code(2) && none.run.errors.contains("find needs WORD"))
        let wrong = try find("s*")
        expect(wrong.run.exit != .code(0) && wrong.run.errors.contains("two characters"))
    }
}
