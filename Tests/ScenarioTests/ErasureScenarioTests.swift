import Foundation
import StoryCore
import TestSupport
import Testing

/// Events that are erased at a daemon, and everything that deals with a log of such events.
@Suite(.timeLimit(.minutes(5))) struct ErasureScenarioTests {
    private static let secret = "Anna-of-the-harbour"

    /// A daemon with orders that have a secret, a model of them, and notes; everything is stored.
    private static func filled() throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        try client.expect(#"DEFINE orders "from order; name: text; on Placed { name = data.name }""#)
        for number in 1...60 {
            try client.expect(
                #"APPEND order-\#(number % 6) key=k\#(number) {"type":"Placed","tags":["of:\#(number % 3)"],"#
                    + #""meta":{"by":"\#(secret)"},"data":{"name":"\#(secret) \#(number)"}}"#)
        }
        try client.expect(#"APPEND note-1 {"type":"Wrote","data":"A note"}"#)
        try until("the model answers") { try client.ask("COUNT orders").number("count") == 6 }
        try client.expect("CHECKPOINT")
        return daemon
    }

    /// The files of a directory in which the secret stands, or one of other bytes.
    private static func files(_ path: String, with others: [Data] = []) -> [String] {
        FilesWith.any([secret], others, in: path)
    }

    /// The checksums of the stored records of orders, and the salts of their content: both are computed from the content,
    /// or let somebody who guesses it be sure.
    private static func proofs(_ path: String) throws -> [Data] {
        let blocks = try require(FileManager.default.contents(atPath: path + "/log/data.mdb"))
        var (found, start) = ([Data](), blocks.startIndex)
        while let text = blocks.range(of: Data(#"{"position":"#.utf8), in: start..<blocks.endIndex) {
            start = text.upperBound
            let line = blocks[text.lowerBound..<min(text.lowerBound + 80, blocks.endIndex)]
            guard line.range(of: Data(#""stream":"order-"#.utf8)) != nil else { continue }
            // The header, whose first 8 bytes are the checksum, the salt of the labels, and that of the content.
            let header = text.lowerBound - 2 * 16 - EventHeader.size
            found += [blocks[header..<header + 8], blocks[text.lowerBound - 16..<text.lowerBound]]
        }
        return found
    }

    private static func erase(_ daemon: RunningDaemon) throws {
        let answer = try daemon.client().ask(#"ERASE events/order-* reason="tried" expect=60"#)
        expect(answer.hasPrefix(#"+ {"id":"1","stream":"erasure-1","version":2,"#), "\(answer)")
    }

    @Test func `an erasure leaves nothing, and checks, copies, exports and imports of the log agree`() throws {
        let daemon = try Self.filled()
        let proofs = try Self.proofs(daemon.data)
        expect(proofs.count == 2 * 60 && proofs.allSatisfy { Set($0).count > 1 })
        expect(!Self.files(daemon.data, with: proofs).isEmpty)
        let seal = try daemon.client().ask("SEAL at=50").text("seal")
        try Self.erase(daemon)
        expect(Self.files(daemon.data, with: proofs) == [])
        let client = try daemon.client()
        expect(try client.ask("SEAL at=50").text("seal") == seal)
        expect(try client.ask("VERIFY").hasPrefix("+"))
        try until("the model is built again") { try client.ask("COUNT orders").number("count") == 0 }
        let copy = daemon.folder.place("copy")
        try client.expect(#"BACKUP "\#(copy)""#)
        expect(Self.files(copy) == [])
        let lines = try client.rows("READ events limit=1000").map { String($0.dropFirst(2)) }
        expect(lines.count { $0.contains(#""erased":"#) } == 60 && !lines.joined().contains(Self.secret))
        expect(try daemon.stop() == .code(0))
        for tool in [["verify"], ["replay", "--verify"]] {
            let run = try daemon.storectl(arguments: tool, offline: true)
            expect(run.exit == .code(0), "\(tool): \(run.output)\(run.errors)")
        }
        let export = try daemon.storectl("export", offline: true).output
        expect(export.split(separator: "\n").map(String.init) == lines)
        let (imported, salvaged) = (daemon.folder.place("imported"), daemon.folder.place("salvaged"))
        let run = try daemon.storectl("--data", imported, "import", input: export)
        expect(run.exit == .code(0), "\(run.errors)")
        let good = try daemon.storectl("salvage", daemon.data, "--out", salvaged)
        expect(good.exit == .code(0), "\(good.output)\(good.errors)")
        for path in [imported, salvaged] {
            expect(try daemon.storectl("--data", path, "export").output == export)
            expect(try daemon.storectl("--data", path, "verify").exit == .code(0))
        }
    }

    @Test(arguments: [
        (#","erased":9,"data":{}}"#, "data"), (#","erased":9,"meta":{}}"#, "meta"), (#","erased":1}"#, "later"),
        (#","erased":0}"#, "erased"),
    ])
    func `an import refuses what no erased event is`(rest: String, says: String) throws {
        let daemon = try RunningDaemon()
        let line =
            #"{"position":1,"stream":"o-1","version":1,"type":"T","time":"2026-01-01T00:00:00.001Z","by":0"# + rest
        let run = try daemon.storectl("--data", daemon.folder.place("imported"), "import", input: line)
        expect(run.exit == .code(1) && run.errors.contains(says), "\(run.errors)")
    }

    @Test func `an import refuses an event that is erased by one which does not name it`() throws {
        let daemon = try Self.filled()
        try Self.erase(daemon)
        expect(try daemon.stop() == .code(0))
        let export = try daemon.storectl("export", offline: true).output
        let wrong = export.replacingOccurrences(of: #""erased":64}"#, with: #""erased":63}"#)
        expect(wrong != export)
        let run = try daemon.storectl("--data", daemon.folder.place("imported"), "import", input: wrong)
        expect(run.exit != .code(0) && run.errors.contains("does not name it"), "\(run.errors)")
    }

    @Test func `a replica erases what its source erases, and a new one never gets it`() throws {
        let source = try Self.filled()
        let replica = try RunningDaemon(options: ["--follow", source.socket, "--patience", "1"])
        let client = try replica.client()
        try until("the replica has all") { try client.ask("PING min=63").hasPrefix("+") }
        try until("its model answers") { try client.ask("COUNT orders").number("count") == 6 }
        try client.expect("CHECKPOINT")
        expect(!Self.files(replica.data).isEmpty)
        expect(try client.ask(#"ERASE events/order-1 reason="x""#).text("code") == "notLeader")
        try Self.erase(source)
        let head = try require(source.client().ask("PING").number("position"))
        try until("the replica has the erasure") { try client.ask("PING min=\(head)").hasPrefix("+") }
        try until("it is carried out: \(replica.trace.suffix(500))") {
            try client.rows("ERASURES").first?.contains(#""done":"#) == true
        }
        expect(Self.files(replica.data) == [])
        try until("its model answers again") { try client.ask("COUNT orders").number("count") == 0 }
        let late = try RunningDaemon(options: ["--follow", source.socket, "--patience", "1"])
        let reader = try late.client()
        try until("the late one has all") { try reader.ask("PING min=\(head)").hasPrefix("+") }
        try until("it has nothing left to erase") {
            try reader.rows("ERASURES").first?.contains(#""done":"#) == true
        }
        expect(Self.files(late.data) == [])
        for position in [1, 30, head] {
            let seal = try source.client().ask("SEAL at=\(position)")
            expect(try client.ask("SEAL at=\(position)") == seal)
            expect(try reader.ask("SEAL at=\(position)") == seal)
        }
        expect(try client.ask("VERIFY").hasPrefix("+") && reader.ask("VERIFY").hasPrefix("+"))
        try until("the model of the late one answers: \(late.trace.suffix(500))") {
            try reader.ask("COUNT orders").number("count") == 0
        }
    }

    @Test func `others are served while a large set is erased, and a reader beside keeps it waiting`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        for batch in 0..<40 {
            let events = (0..<500).map {
                #"{"type":"Placed","data":{"n":\#(batch * 500 + $0),"text":"\#(Self.secret)"}}"#
            }
            try client.expect("APPEND order-\(batch) [\(events.joined(separator: ","))]")
        }
        let canary = try Canary(daemon)
        try client.expect(#"ERASE events/order-* reason="tried" expect=20000"#)
        let waits = try canary.stop()
        expect(waits.greatest < .milliseconds(100), "\(waits)")
        expect(Self.files(daemon.data) == [])
        let dry = try client.ask("ERASE events/order-* dry=true")
        expect(dry.text("code") == "gone", "\(dry)")
    }
}
