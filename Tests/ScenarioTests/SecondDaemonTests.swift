import Foundation
import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// Two processes never serve one directory, whatever is removed, moved or put back beside them.
    @Suite struct SecondDaemonTests {
        private static let event = #"APPEND note-1 {"type":"Wrote","data":1}"#

        /// A daemon with some events in blocks and some in its journal.
        private static func daemon() throws -> RunningDaemon {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            expect(try client.ask(Load.append(to: "note-1", count: 30, size: 100)).hasPrefix("+"))
            expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            expect(try client.ask(event).number("position") == 31)
            return daemon
        }

        /// Starts another daemon on a directory, which is refused because somebody holds it.
        private static func expectHeld(_ data: String) throws {
            let second = try RunningDaemon(data: data, isStarted: false)
            try second.launch()
            expect(try second.wait() == .code(2), "\(second.trace)")
            expect(second.trace.contains("held by"), "\(second.trace)")
        }

        @Test func `a file lock that is removed lets nobody else in, and is made again`() throws {
            let daemon = try Self.daemon()
            let lock = daemon.data + "/lock"
            expect(unlink(lock) == 0)
            try Self.expectHeld(daemon.data)
            let salvage = try daemon.shell("$S salvage $D/data --out $D/saved")
            expect(salvage.exit == .code(2) && salvage.errors.contains("held by"), "\(salvage.errors)")
            let client = try daemon.client()
            // Earlier programs lock the file alone.
            try until("it is locked again") { Files.text(lock) == "\(daemon.pid)\n" }
            expect(try daemon.shell("flock -n $D/data/lock true").exit == .code(1))
            expect(try client.ask(Self.event).number("position") == 32)
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
        }

        @Test func `a program that locks the file alone keeps this one away, and ends it where it comes later`() throws
        {
            let daemon = try Self.daemon()
            let lock = daemon.data + "/lock"
            let before = daemon.trace
            let earlier = open(daemon.folder.place("new"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            expect(flock(earlier, LOCK_EX) == 0 && rename(daemon.folder.place("new"), lock) == 0)
            expect(try daemon.wait() == .code(5))
            let said = daemon.trace.dropFirst(before.count)
            expect(said.contains("held by another process"), "\(said)")
            try Self.expectHeld(daemon.data)
            close(earlier)
            try daemon.start()
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
        }

        @Test(arguments: ["log/data.mdb", "log/lock.mdb", "log.journal", "models/data.mdb", "models/lock.mdb"])
        func `a file that is removed, or put back, keeps others out and ends the daemon`(name: String) throws {
            for isPutBack in [false, true] {
                let daemon = try Self.daemon()
                let client = try daemon.client()
                let file = "\(daemon.data)/\(name)"
                let kept = daemon.folder.place("kept")
                // It would end before a second one has started on a slow machine.
                try daemon.pause()
                expect(rename(file, kept) == 0)
                if isPutBack { try FileManager.default.copyItem(atPath: kept, toPath: file) }
                try Self.expectHeld(daemon.data)
                try daemon.resume()
                // What is acknowledged until it ends is in the files that were moved.
                var head: UInt64 = 31
                while let reply = try? client.ask(Self.event), reply.hasPrefix("+") { head += 1 }
                expect(try daemon.wait() == .code(5), "\(daemon.trace)")
                expect(daemon.trace.contains("was moved, removed or replaced"), "\(daemon.trace)")
                if isPutBack { unlink(file) }
                expect(rename(kept, file) == 0)
                try daemon.start()
                let position = try daemon.client().ask("PING").number("position") ?? 0
                expect(position >= head)
                expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            }
        }

        @Test func `a directory that is moved away ends its daemon, and a copy in its place is served by another`()
            throws
        {
            let daemon = try Self.daemon()
            let client = try daemon.client()
            let moved = daemon.folder.place("moved")
            expect(rename(daemon.data, moved) == 0)
            try FileManager.default.copyItem(atPath: moved, toPath: daemon.data)
            let second = try RunningDaemon(data: daemon.data)
            expect(second.trace.contains("copied of="), "\(second.trace)")
            var head: UInt64 = 31
            while let reply = try? client.ask(Self.event), reply.hasPrefix("+") { head += 1 }
            expect(try daemon.wait() == .code(5), "\(daemon.trace)")
            expect(daemon.trace.contains("was moved"), "\(daemon.trace)")
            expect(try second.client().ask("PING").number("position") == 31)
            let first = try RunningDaemon(data: moved)
            expect(try first.client().ask("PING").number("position") ?? 0 >= head)
        }

        @Test func `a directory of links to the files of one that is served is held as well`() throws {
            let daemon = try Self.daemon()
            expect(try daemon.shell("cp -al $D/data $D/links && rm $D/links/lock").exit == .code(0))
            try Self.expectHeld(daemon.folder.place("links"))
            expect(try daemon.client().ask(Self.event).number("position") == 32)
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
        }
    }
}
