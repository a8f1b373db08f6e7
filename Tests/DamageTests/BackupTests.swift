import Foundation
import TestSupport
import Testing

/// Copies that are proven before they have a name.
@Suite(.serialized) struct BackupTests {
    private static func filled(_ count: Int) throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        let text = String(repeating: "x", count: 400)
        for batch in 0..<count / 100 {
            let events = (0..<100).map {
                #"{"type":"T","data":{"n":"needle-\#(100_000 + batch * 100 + $0)","x":"\#(text)"}}"#
            }
            client.send("APPEND note-\(batch % 9) [\(events.joined(separator: ","))]")
        }
        for _ in 0..<count / 100 { expect(try client.line().hasPrefix("+")) }
        return daemon
    }

    /// What lies beside the data: a copy's draft would.
    private static func drafts(_ daemon: RunningDaemon) throws -> [String] {
        try Files.names(in: daemon.folder.path).filter { $0.contains("copy") }
    }

    @Test func `a copy of a damaged log is refused with the position, and nothing has its name`() throws {
        let daemon = try Self.filled(2_000)
        expect(try daemon.stop() == .code(0))
        expect(try Files.replace("needle-100777", by: "needle-1007x7", in: daemon.data + "/log/data.mdb") == 1)
        try daemon.start()
        let reply = try daemon.client().ask(#"BACKUP "\#(daemon.folder.place("copy"))""#)
        expect(reply.text("code") == "internal" && reply.contains("position 778"), "\(reply)")
        expect(try Self.drafts(daemon) == [])
        expect(try daemon.stop() == .code(0))
        let copied = try Tool.run(["--data", daemon.folder.place("copy"), "restore", daemon.data])
        expect(copied.exit == .code(5) && copied.errors.contains("position 778"), "\(copied)")
        expect(try Self.drafts(daemon) == [])
    }

    @Test func `of several copies with one name one is made, and it is whole`() throws {
        let daemon = try Self.filled(5_000)
        let copy = daemon.folder.place("copy")
        let clients = try (0..<6).map { _ in try daemon.client() }
        for client in clients { client.send("BACKUP \"\(copy)\"") }
        let replies = try clients.map { try $0.line() }
        expect(replies.filter { $0.hasPrefix("+") }.count == 1, "\(replies)")
        expect(try Tool.run(["--data", copy, "verify"]).exit == .code(0))
        expect(try Self.drafts(daemon) == ["copy"])
        let other = daemon.folder.place("copy-of-another")
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try Files.write("mine", to: other + "/file")
        expect(try clients[0].ask("BACKUP \"\(other)\"").text("code") == "exists")
        expect(Files.text(other + "/file") == "mine")
        expect(try daemon.stop() == .code(0))
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `a daemon that is ended while it copies leaves a whole copy or none of that name`(signal: Int32) throws {
        let daemon = try Self.filled(20_000)
        for round in 0..<4 {
            let copy = daemon.folder.place("copy\(round)")
            let client = try daemon.client()
            client.send("BACKUP \"\(copy)\"")
            expect(try daemon.client().ask("PING").hasPrefix("+"))
            usleep(UInt32(round) * 9_000)
            if signal == SIGKILL { try daemon.kill() } else { daemon.send(signal) }
            let exit = try daemon.wait()
            expect(exit == (signal == SIGTERM ? .code(0) : .signal(SIGKILL)))
            if FileManager.default.fileExists(atPath: copy) {
                expect(try Tool.run(["--data", copy, "verify"]).exit == .code(0))
            }
            let left = try Self.drafts(daemon).filter { $0.hasSuffix(".tmp") }
            expect(signal == SIGKILL || left == [], "\(left)")
            try daemon.start()
            if !FileManager.default.fileExists(atPath: copy) {
                expect(try daemon.client().ask("BACKUP \"\(copy)\"").hasPrefix("+"), "the name can be used")
            }
        }
        expect(try daemon.stop() == .code(0))
    }

    @Test func `verify and restore work without a daemon, and a restored store has every event`() throws {
        let daemon = try Self.filled(3_000)
        let (copy, data) = (daemon.folder.place("copy"), daemon.folder.place("restored"))
        expect(try daemon.client().ask("BACKUP \"\(copy)\"").hasPrefix("+"))
        expect(try daemon.stop() == .code(0))
        let verdict = try Tool.run(["--data", copy, "verify"])
        expect(verdict.exit == .code(0) && verdict.output.contains("every one of 3000 events"), "\(verdict)")
        expect(try Tool.run(["--data", data, "restore", copy]).exit == .code(0))
        let (before, after) = (
            try Tool.run(["--data", daemon.data, "export"]), try Tool.run(["--data", data, "export"])
        )
        expect(before.output == after.output && before.output.split(separator: "\n").count == 3_000)
        let restored = try ImageRun(data)
        expect(try restored.client()?.ask("VERIFY").hasPrefix("+") == true)
        expect(try restored.stop() == .code(0))
        expect(try Files.replace("needle-100123", by: "needle-1001x3", in: copy + "/log/data.mdb") == 1)
        let damaged = try Tool.run(["--data", copy, "verify"])
        expect(damaged.exit == .code(5) && damaged.errors.contains("position 124"), "\(damaged)")
        let refused = try Tool.run(["--data", daemon.folder.place("copy2"), "restore", copy])
        expect(refused.exit == .code(5) && refused.errors.contains("position 124"), "\(refused)")
        expect(try Self.drafts(daemon) == ["copy"])
    }
}
