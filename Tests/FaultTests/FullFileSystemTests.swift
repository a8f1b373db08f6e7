import Foundation
import Glibc
import StoryStorage
import TestSupport
import Testing

extension HarmTests {
    /// A file system of 64 MiB that is filled to the brim; wants root, and is passed over where nothing can be mounted.
    @Suite struct FullFileSystemTests {
        /// A daemon on such a file system, and what its one writer was told.
        private struct Bench {
            let daemon: RunningDaemon
            var ledger = Ledger()

            /// Writes until one is refused; answers how many were acknowledged.
            mutating func fill(_ socket: LineSocket, size: Int) throws -> Int {
                let before = ledger.acknowledged
                for _ in 0..<5_000 {
                    guard try write(socket, size: size) else { return ledger.acknowledged - before }
                }
                throw TookTooLong(what: "the file system never became full")
            }

            /// Writes five events at once; false where that is refused for want of room.
            mutating func write(_ socket: LineSocket, size: Int) throws -> Bool {
                let request = Request.append("k\(ledger.writes.count)", to: "note-1", count: 5, size: size)
                let line = try socket.ask(request.line)
                let outcome =
                    line.hasPrefix("+") ? line.number("position").map { Ledger.Outcome.acknowledged($0) } : nil
                if outcome == nil { expect(line.text("code") == "full", "\(line)") }
                ledger.writes.append(
                    Ledger.Write(key: "k\(ledger.writes.count)", count: 5, outcome: outcome ?? .refused(line)))
                return outcome != nil
            }
        }

        @Test(arguments: DiskFaultTests.isLong ? SmallFileSystem.Kind.allCases : [.tmpfs])
        func `a full file system refuses writes, serves reads, and writes again when there is room`(
            kind: SmallFileSystem.Kind
        ) throws {
            guard let system = try SmallFileSystem(kind, megabytes: kind == .tmpfs ? 64 : nil) else {
                return print("full file system: no \(kind) here")
            }
            let ballast = try system.ballast(8 << 20)
            var bench = Bench(daemon: try RunningDaemon(data: system.path + "/data"))
            let daemon = bench.daemon
            var client = try daemon.client()
            expect(try client.ask(Request.user("a").line).hasPrefix("+"))
            let large = try bench.fill(client, size: 20_000)
            let small = try bench.fill(client, size: 200)
            // Whatever is asked for, the disk has room for none of it.
            for request in ["CHECKPOINT", "BACKUP \"\(system.path)/copy\""] {
                let reply = try client.ask(request)
                expect(reply.hasPrefix("+") || reply.text("code") == "full", "\(request): \(reply)")
            }
            expect(try Files.names(in: system.path).filter { $0.hasSuffix(".tmp") }.isEmpty)
            try Self.checkReads(daemon)
            client.hangUp()
            for _ in 1...2 {
                try daemon.kill()
                try daemon.start()
                try Self.checkReads(daemon)
                client = try daemon.client()
                _ = try bench.fill(client, size: 20_000)
                client.hangUp()
            }
            expect(unlink(ballast) == 0)
            client = try daemon.client()
            try until("it writes again") { try bench.write(client, size: 20_000) }
            expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            client.hangUp()
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            try daemon.start()
            let complaints = try bench.ledger.complaints(daemon.client())
            expect(complaints.isEmpty, "\(complaints.prefix(5))")
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
            print(
                "full file system, \(kind): \(large) large and \(small) small writes until it was full, "
                    + "\(bench.ledger.acknowledged) of \(bench.ledger.writes.count) acknowledged")
        }

        @Test(arguments: [SmallFileSystem.Kind.tmpfs, .ext4])
        func `room that is not enough is given back`(kind: SmallFileSystem.Kind) throws {
            guard let system = try SmallFileSystem(kind) else { return print("full file system: no \(kind) here") }
            let file = open(system.path + "/file", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(file) }
            expect(ftruncate(file, 8_192) == 0)
            let free = try system.freeBytes()
            expect(Environment.lengthen(file, from: 8_192, to: 1 << 27) == ENOSPC)
            expect(try system.freeBytes() == free)
            expect(Environment.lengthen(file, from: 8_192, to: 1 << 24) == 0)
            expect(try system.freeBytes() < free - (1 << 23))
        }

        private static func checkReads(_ daemon: RunningDaemon) throws {
            let client = try daemon.client()
            let head = try client.ask("PING").number("position")
            expect(try client.ask("GET users/a").hasPrefix(#"+ {"id":"a","version":1,"position":1,"#))
            expect(try client.rows("READ events order=desc limit=1").first?.number("position") == head)
            expect(try client.ask("STREAMS").hasPrefix("+"))
            expect(try client.ask("VERIFY").number("verified") == head)
        }
    }
}
