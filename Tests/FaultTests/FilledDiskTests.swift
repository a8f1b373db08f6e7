import Foundation
import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// A file system without one free block, filled under the daemon and before it starts. Wants root, and is passed over
    /// where nothing can be mounted.
    @Suite struct FilledDiskTests {
        private static let append = Load.append(to: "note-1", count: 20, size: 1_000)

        /// A store of some events on such a file system, and its daemon.
        private static func daemon(_ kind: SmallFileSystem.Kind) throws -> (SmallFileSystem, RunningDaemon)? {
            guard let system = try SmallFileSystem(kind) else {
                print("filled disk: no \(kind) here")
                return nil
            }
            let daemon = try RunningDaemon(data: system.path + "/data")
            let client = try daemon.client()
            for _ in 0..<40 { expect(try client.ask(append).hasPrefix("+")) }
            expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            client.hangUp()
            return (system, daemon)
        }

        /// Asks for all that is answered without room.
        private static func checkReads(_ client: LineSocket) throws {
            let head = try client.ask("PING").number("position")
            expect(try client.rows("READ events order=desc limit=1").first?.number("position") == head)
            expect(try client.ask("VERIFY").number("verified") == head)
            expect(try client.ask("COUNT users").hasPrefix("+"))
        }

        @Test(arguments: SmallFileSystem.Kind.allCases)
        func `without a free block it reads, refuses, starts, and writes again with room`(
            kind: SmallFileSystem.Kind
        ) throws {
            guard let (system, daemon) = try Self.daemon(kind) else { return }
            try system.fill()
            var client = try daemon.client()
            try Self.checkReads(client)
            expect(try client.ask("BACKUP \"\(system.path)/copy\"").text("code") == "full")
            // The journal has its room; sooner or later what it holds wants to be flushed.
            try until("a write is refused") { try client.ask(Self.append).text("code") == "full" }
            try system.fill()
            let checkpoint = try client.ask("CHECKPOINT")
            expect(checkpoint.text("code") == "full", "\(checkpoint)")
            try Self.checkReads(client)
            client.hangUp()
            try daemon.kill()
            try system.fill()
            try daemon.start()
            client = try daemon.client()
            try Self.checkReads(client)
            expect(unlink(try system.fill()) == 0)
            try until("it writes again") { try client.ask(Self.append).hasPrefix("+") }
            client.hangUp()
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
        }

        @Test(arguments: SmallFileSystem.Kind.allCases)
        func `words are busy without a free block, all else goes on, and they are found with room`(
            kind: SmallFileSystem.Kind
        ) throws {
            guard let (system, daemon) = try Self.daemon(kind) else { return }
            try system.fill()
            let client = try daemon.client()
            let search = "FIND events words=spring"
            // The index may have had a block that was free by then.
            for number in 0..<100 {
                let line = #"APPEND word-1 {"type":"Wrote","data":"spring \#(number) \#(number * 7_919)"}"#
                guard try client.ask(line).hasPrefix("+"), try client.ask(search).hasPrefix("+") else { break }
                try system.fill()
            }
            let busy = try client.ask(search)
            expect(busy.text("code") == "busy" && busy.contains("cannot be used now"), "\(busy)")
            let check = try daemon.storectl("check")
            expect(check.output.contains("find-behind") && check.exit != .code(0), "\(check)")
            try Self.checkReads(client)
            expect(unlink(try system.fill()) == 0)
            try until("words are found") { try client.rows(search + " limit=1").count == 1 }
            try until("the condition ends") { try !daemon.storectl("check").output.contains("find-behind") }
            client.hangUp()
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
        }

        @Test(arguments: SmallFileSystem.Kind.allCases)
        func `a start that has to make lock mdb without a free block serves, or says that there is no room`(
            kind: SmallFileSystem.Kind
        ) throws {
            guard let (system, daemon) = try Self.daemon(kind) else { return }
            expect(try daemon.stop() == .code(0))
            for folder in ["log", "models"] { expect(unlink("\(daemon.data)/\(folder)/lock.mdb") == 0) }
            let ballast = try system.fill()
            try daemon.launch()
            var exit: Exit?
            try until("it ends or greets") {
                exit = daemon.exit
                return exit != nil || (try? LineSocket(daemon.socket).nextLine())?.hasPrefix("*") == true
            }
            if let exit {
                expect(exit == .code(3))
                expect(daemon.trace.split(separator: "\n").last?.contains("No space left on device") == true)
            } else {
                try Self.checkReads(try daemon.client())
                try daemon.kill()
            }
            expect(unlink(ballast) == 0)
            try daemon.start()
            try Self.checkReads(try daemon.client())
            expect(try daemon.stop() == .code(0))
        }

        @Test func `a copied directory without room for a name takes no event under that of another`() throws {
            guard let (system, daemon) = try Self.daemon(.tmpfs) else { return }
            try system.fill()
            let writer = try daemon.client()
            // Then the journal holds what finds no room in blocks.
            try until("a write is refused") { try writer.ask(Self.append).text("code") == "full" }
            try daemon.kill()
            try system.empty()
            let copy = try RunningDaemon(data: system.path + "/other", isStarted: false)
            try FileManager.default.copyItem(atPath: daemon.data, toPath: copy.data)
            let ballast = try system.fill()
            try copy.start()
            let client = try copy.client()
            try Self.checkReads(client)
            let refused = try client.ask(Self.append)
            expect(refused.text("code") == "full" && refused.contains("start it again"), "\(refused)")
            client.hangUp()
            expect(copy.trace.contains("unnamed reason="), "\(copy.trace)")
            expect(try copy.stop() == .code(0), "\(copy.trace)")
            expect(unlink(ballast) == 0)
            try copy.start()
            expect(copy.trace.contains("copied of="), "\(copy.trace)")
            expect(try copy.client().ask(Self.append).hasPrefix("+"))
            expect(try copy.stop() == .code(0), "\(copy.trace)")
        }

        @Test func `a map that fails ends the daemon with one sentence`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for _ in 0..<40 { expect(try client.ask(Self.append).hasPrefix("+")) }
            expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            let before = daemon.trace
            expect(truncate(daemon.data + "/log/data.mdb", 8_192) == 0)
            client.send("READ events limit=1")
            expect(try daemon.wait() == .code(5))
            let said = daemon.trace.dropFirst(before.count)
            expect(said.hasPrefix("stored: a page of a file could not be read"), "\(said)")
            expect(said.split(separator: "\n").count == 1, "\(said)")
        }
    }
}
