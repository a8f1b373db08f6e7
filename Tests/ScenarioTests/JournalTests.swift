import Foundation
import StoryCore
import StoryLog
import StoryStore
import StoryStorage
import TestSupport
import Testing

@testable import StoryOffline

extension DaemonTests {
    /// What is acknowledged lies in the journal first, and in the log's own place a little later.
    @Suite struct JournalTests {
        private static func log(of daemon: RunningDaemon) throws -> LMDBEventLog {
            try LMDBEventLog(in: DataDirectory(daemon.data, for: .reading), now: Instant(milliseconds: 1))
        }

        @Test func `who reads beside the daemon sees all that was acknowledged before, whatever is flushed`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            // A half of the journal is full after some hundred and thirty of these.
            let line = Load.append(to: "note-1", count: 10, size: 1_500) + "\n"
            let (rounds, requests) = (10, 60)
            let log = try Self.log(of: daemon)
            defer { log.close() }
            var (checked, flushes) = (UInt64(0), Set<Position>())
            for _ in 1...rounds {
                let sending = client.sendBeside(Array(String(repeating: line, count: requests).utf8))
                for _ in 1...requests {
                    let acknowledged = try require(client.line().number("position"))
                    try log.refresh()
                    flushes.insert(log.flushed)
                    expect(log.head >= Position(acknowledged))
                    try log.scan(from: Position(checked + 1), through: log.head, order: .ascending) { record in
                        expect(record.position == Position(checked + 1))
                        checked = record.position.value
                        return true
                    }
                    expect(checked == log.head.value)
                }
                try sending.join()
            }
            expect(checked == UInt64(rounds * requests) * 10)
            expect(flushes.count > 3, "the log was flushed \(flushes.count) times")
            var verified = Position.zero
            try log.verify { verified = $0 }
            expect(verified == Position(checked))
            expect(try daemon.stop() == .code(0))
        }

        @Test func `while nothing comes in the log takes over what its journal holds`() throws {
            let daemon = try RunningDaemon()
            expect(try daemon.client().ask(Load.append(to: "note-1", count: 3, size: 10)).hasPrefix("+"))
            let log = try Self.log(of: daemon)
            defer { log.close() }
            try until("the log is flushed") {
                try log.refresh()
                return log.flushed == Position(3)
            }
            expect(log.head == Position(3))
            expect(try daemon.stop() == .code(0))
        }

        @Test func `a replay compares with models that were stored after it had opened the log`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            expect(try client.ask(Load.append(to: "note-1", count: 100, size: 10)).hasPrefix("+"))
            let log = try Self.log(of: daemon)
            defer { log.close() }
            expect(try client.ask(Load.append(to: "note-1", count: 50, size: 10)).hasPrefix("+"))
            expect(try client.ask("CHECKPOINT") == #"+ {"position":150}"#)
            let directory = try DataDirectory(daemon.data, for: .reading)
            let snapshot = try ModelSnapshot(in: directory, tables: Catalogue.standard.tables)
            defer { snapshot.close() }
            var options = Replay.Options()
            options.isVerifying = true
            let report = try Replay(directory, catalogue: .standard, clock: .system).report(log, snapshot, options) {
                _, _ in
            }.get()
            expect(report.isAlike)
            expect(report.position == Position(150))
            expect(report.head == Position(150))
            expect(try daemon.stop() == .code(0))
        }

        @Test func `what a checkpoint covers lies in the log itself`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            expect(try client.ask(Load.append(to: "note-1", count: 100, size: 10)).hasPrefix("+"))
            expect(try client.ask("CHECKPOINT") == #"+ {"position":100}"#)
            try daemon.kill()
            // Somebody says that the journal is lost.
            try FileManager.default.moveItem(
                atPath: daemon.data + "/log.journal", toPath: daemon.data + "/log.journal.lost")
            try daemon.start()
            expect(try daemon.client().ask("PING") == #"+ {"position":100}"#)
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
        }

        @Test func `a start that finds a journal, and that it is given up, says so and keeps it`() throws {
            let daemon = try RunningDaemon()
            expect(try daemon.client().ask(Load.append(to: "note-1", count: 3, size: 10)).hasPrefix("+"))
            try daemon.kill()
            let lost = daemon.data + "/log.journal.lost"
            try Files.write("", to: lost)
            try daemon.start()
            expect(daemon.trace.contains("journal-found removed=\(lost)"), "\(daemon.trace)")
            expect(!FileManager.default.fileExists(atPath: lost))
            expect(try daemon.client().ask("PING").number("position") == 3)
            expect(try daemon.stop() == .code(0))
        }

        @Test func `a damaged journal is refused with exit 5 and a sentence, and left alone`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for _ in 1...3 { expect(try client.ask(Load.append(to: "note-1", count: 1, size: 10)).hasPrefix("+")) }
            try daemon.kill()
            let path = daemon.data + "/log.journal"
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[4_096 + 100] ^= 1
            try bytes.write(to: URL(filePath: path))
            try daemon.launch()
            expect(try daemon.wait() == .code(5))
            expect(daemon.trace.contains("the journal is damaged"), "\(daemon.trace)")
            expect(daemon.trace.contains("position 1: the journal"), "\(daemon.trace)")
            expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        }

        @Test func `a backup and VERIFY cover what was acknowledged a moment ago`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for round in 1...5 as ClosedRange<UInt64> {
                expect(try client.ask(Load.append(to: "note-1", count: 1, size: 10)).hasPrefix("+"))
                expect(try client.ask("VERIFY").number("verified") == round)
                let place = daemon.folder.place("copy-\(round)")
                expect(try client.ask(#"BACKUP "\#(place)""#).number("position") == round)
            }
            expect(try daemon.stop() == .code(0))
        }
    }
}
