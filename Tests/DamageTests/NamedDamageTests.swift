import Foundation
import TestSupport
import Testing

/// What is on the disk is not what was written.
@Suite(.serialized) struct NamedDamageTests {
    /// Fifty events of which each says its number, in a store that was stopped cleanly.
    private static func stopped() throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        for id in ["007", "008"] {
            let form = #"{"id":"\#(id)","name":"User \#(id)","email":"\#(id)@example.org","prefecture":13}"#
            expect(try client.ask("POST users \(form)").hasPrefix("+"))
        }
        for number in 3...50 {
            let form =
                #"{"id":"s\#(number)","title":"needle-\#(100 + number)","message":"x","sender":"007","recipient":"008"}"#
            expect(try client.ask("POST stories \(form)").hasPrefix("+"))
        }
        client.hangUp()
        expect(try daemon.stop() == .code(0))
        return daemon
    }

    @Test func `a changed event is never served: reading it names its position, and the daemon goes on`() throws {
        let daemon = try Self.stopped()
        expect(try Files.replace("needle-120", by: "needle-1x0", in: daemon.data + "/log/data.mdb") > 0)
        try daemon.start()
        let client = try daemon.client()
        client.send("READ events from=18")
        expect(try client.line().hasPrefix(#"= {"position":18,"#))
        expect(try client.line().hasPrefix(#"= {"position":19,"#))
        let refusal = try client.line()
        expect(refusal.hasPrefix(#"- {"code":"internal","#), "\(refusal)")
        expect(refusal.text("message")?.contains("position 20") == true, "\(refusal)")
        expect(try client.rows("READ events from=21").count == 30)
        expect(try client.ask("GET stories/s20").hasPrefix(#"+ {"id":"s20","#), "the models are whole")
        let verdict = try client.ask("VERIFY")
        expect(verdict.text("code") == "internal" && verdict.contains("position 20"), "\(verdict)")
        expect(try client.ask(#"LIKE stories/s20 {"user":"007"}"#).hasPrefix("+"))
        expect(try client.ask("GET stories/s20 at=30").text("code") == "internal", "its history is damaged")
        expect(try daemon.stop() == .code(0))
    }

    @Test func `a subscription that meets a changed event ends and says where`() throws {
        let daemon = try Self.stopped()
        expect(try Files.replace("needle-120", by: "needle-1x0", in: daemon.data + "/log/data.mdb") > 0)
        try daemon.start()
        let client = try daemon.client()
        client.send("SUBSCRIBE events from=18")
        expect(try client.line() == #"+ {"subscription":1,"position":50}"#)
        expect(try client.line().hasPrefix(#">1 {"position":18,"#))
        expect(try client.line().hasPrefix(#">1 {"position":19,"#))
        let end = try client.line()
        expect(end.hasPrefix(#">1 {"end":""#) && end.hasSuffix(#","resume":20,"damaged":true}"#), "\(end)")
        expect(try client.ask("SUBSCRIBE events from=21") == #"+ {"subscription":2,"position":50}"#)
        let lines = daemon.trace.split(separator: "\n").count
        expect(lines < 20, "it complains \(lines) times")
    }

    @Test func `a log that was cut short is refused with exit 5 and a sentence`() throws {
        let daemon = try Self.stopped()
        let path = daemon.data + "/log/data.mdb"
        try Files.truncate(path, to: 12_288)
        try daemon.launch()
        expect(try daemon.wait() == .code(5))
        expect(daemon.trace.contains("stored: the store is damaged: "), "\(daemon.trace)")
        expect(daemon.trace.contains("was cut short"), "\(daemon.trace)")
        expect(Files.size(path) == 12_288, "what is left is left alone")
    }

    @Test func `models that are gone or cut short are folded anew, and answer as before`() throws {
        let daemon = try Self.stopped()
        let questions = ["LIST stories limit=100", "LIST users sort=email", "STREAMS limit=100", "READ events"]
        try daemon.start()
        let before = try questions.map { try daemon.client().rows($0) }
        expect(before[0].count == 48)
        let models = daemon.data + "/models"
        for spoil in [
            { try FileManager.default.removeItem(atPath: models) },
            { try Files.truncate(models + "/data.mdb", to: 12_288) },
        ] {
            expect(try daemon.stop() == .code(0))
            try spoil()
            try daemon.start()
            expect(try questions.map { try daemon.client().rows($0) } == before)
        }
        expect(daemon.trace.contains("recovered events=50"), "\(daemon.trace)")
        expect(try daemon.stop() == .code(0))
        expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
    }

    @Test func `a tampered row is found by replay --verify and by verify, and a start folds the models anew`()
        throws
    {
        let daemon = try Self.stopped()
        expect(try Files.replace("needle-120", by: "needle-1x0", in: daemon.data + "/models/data.mdb") > 0)
        for arguments in [["replay", "--verify"], ["verify"]] {
            let run = try daemon.storectl(arguments: arguments, offline: true)
            expect(run.exit == .code(5) && run.errors.contains("is not the one that was written"), "\(run)")
            expect(run.errors.contains("the stored models are damaged") && run.errors.contains("folds them anew"))
        }
        try daemon.start()
        expect(daemon.trace.contains("folding-anew"), "\(daemon.trace)")
        expect(try daemon.client().ask("GET stories/s20").text("title") == "needle-120")
        expect(try daemon.stop() == .code(0))
        expect(try daemon.storectl("verify", offline: true).exit == .code(0))
    }

    @Test func `VERIFY finds a page of the models that is damaged while it is served, and they are replaced`() throws {
        let daemon = try Self.stopped()
        try daemon.start()
        let (client, follower) = (try daemon.client(), try daemon.client())
        expect(try client.ask("VERIFY").hasPrefix("+"))
        expect(try client.ask("GET stories/s20").text("title") == "needle-120", "the page is whole at its first use")
        expect(try follower.ask("SUBSCRIBE stories sender=007").hasPrefix("+"))
        for _ in 0..<49 { _ = try follower.line() }
        expect(try Files.replace("needle-120", by: "needle-1x0", in: daemon.data + "/models/data.mdb") > 0)
        let verdict = try client.ask("VERIFY")
        expect(
            verdict.text("code") == "internal" && verdict.contains("is not the one that was written"), "\(verdict)")
        // Writes and reads go on all the while.
        var written = 0
        try until("the models are replaced") {
            let form =
                #"{"id":"n\#(written)","title":"During","message":"x","sender":"007","recipient":"008"}"#
            let reply = try client.ask("POST stories \(form)")
            if reply.hasPrefix("+") { written += 1 }
            expect(reply.hasPrefix("+") || ["internal", "busy"].contains(reply.text("code")), "\(reply)")
            let row = try client.ask("GET stories/s20")
            expect(row.text("title") == "needle-120" || row.text("code") == "internal", "\(row)")
            return daemon.trace.contains("rebuilt position") && Self.isAlone(daemon)
        }
        expect(try client.ask("GET stories/s20").text("title") == "needle-120")
        expect(try client.ask("COUNT stories sender=007").number("count") == UInt64(48 + written))
        expect(try client.ask("VERIFY").hasPrefix("+"))
        for number in 0..<written {
            let push = try follower.line()
            expect(push.hasPrefix(">1 ") && push.contains(#""id":"n\#(number)""#), "\(push)")
        }
        for client in [client, follower] { client.hangUp() }
        expect(try daemon.stop() == .code(0))
        expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
        try daemon.start()
        expect(!daemon.trace.contains("folding-anew"), "\(daemon.trace)")
    }

    @Test func `a request that meets a damaged page of the models is refused, until they are replaced`() throws {
        let daemon = try Self.stopped()
        expect(try Files.replace("needle-120", by: "needle-1x0", in: daemon.data + "/models/data.mdb") > 0)
        try daemon.start()
        let client = try daemon.client()
        let refusal = try client.ask("GET stories/s20")
        expect(refusal.text("code") == "internal" && refusal.hasSuffix(#""damaged":true}"#), "\(refusal)")
        try until("it is answered") {
            let row = try client.ask("GET stories/s20")
            expect(row.text("title") == "needle-120" || row.text("code") == "internal", "\(row)")
            return row.hasPrefix("+")
        }
        expect(try daemon.traces("rebuilding reason="))
        expect(try daemon.traces("rebuilt position=50"))
        try until("the others are removed") { Self.isAlone(daemon) }
        expect(try client.ask("VERIFY").hasPrefix("+"))
        client.hangUp()
        expect(try daemon.stop() == .code(0))
    }

    /// True when no other models are beside those that are served.
    private static func isAlone(_ daemon: RunningDaemon) -> Bool {
        !["models.new", "models.old"].contains { Files.exists("\(daemon.data)/\($0)") }
    }

    @Test func `models that know more than the log are not served`() throws {
        let daemon = try Self.stopped()
        let copy = daemon.folder.place("log")
        try FileManager.default.copyItem(atPath: daemon.data + "/log", toPath: copy)
        try daemon.start()
        expect(try daemon.client().ask(#"APPEND note-1 {"type":"A","data":{}}"#).hasPrefix("+"))
        expect(try daemon.stop() == .code(0))
        // The journal would make the log whole again.
        try FileManager.default.moveItem(
            atPath: daemon.data + "/log.journal", toPath: daemon.data + "/log.journal.lost")
        try FileManager.default.removeItem(atPath: daemon.data + "/log")
        try FileManager.default.moveItem(atPath: copy, toPath: daemon.data + "/log")
        try daemon.launch()
        expect(try daemon.wait() == .code(5))
        expect(daemon.trace.contains("the log has lost events"), "\(daemon.trace)")
    }
}
