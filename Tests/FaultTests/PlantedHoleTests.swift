import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// Holes that were closed are made again, and found.
    @Suite struct PlantedHoleTests {
        @Test func `a lock mdb whose blocks are not reserved is found on a full disk`() throws {
            guard let system = try SmallFileSystem(.tmpfs) else { return print("planted: no tmpfs here") }
            let faults = try Faults(system.path + "/faults")
            let daemon = try RunningDaemon(
                data: system.path + "/data", environment: faults.environment(root: system.path, tick: 100))
            let client = try daemon.client()
            faults.arm([FaultRule(kinds: .truncate, count: .max / 2, action: .pretend, path: "lock.mdb")])
            try system.fill()
            client.send("BACKUP \"\(system.path)/copy\"")
            expect(try daemon.wait() == .code(5), "\(daemon.trace)")
            expect(daemon.trace.contains("through its map"), "\(daemon.trace)")
        }

        @Test func `a directory that is not locked itself is found by who removes its file lock`() throws {
            let folder = try Scratch()
            let faults = try Faults(folder.place("faults"))
            let environment = faults.environment(root: folder.path, tick: 100)
            faults.arm([FaultRule(kinds: .lock, count: .max / 2, action: .pretend, path: "data")])
            let first = try RunningDaemon(data: folder.place("data"), environment: environment)
            expect(unlink(first.data + "/lock") == 0)
            let second = try RunningDaemon(data: first.data, environment: environment)
            let event = #"APPEND note-1 {"type":"Wrote","data":1}"#
            let positions = try [first, second].map { try $0.client().ask(event).number("position") }
            expect(positions == [1, 1], "two daemons acknowledge one position")
            for daemon in [first, second] { try daemon.kill() }
        }

        @Test func `a mark of a lost journal that stays is found by the loss that it hides`() throws {
            let folder = try Scratch()
            let faults = try Faults(folder.place("faults"))
            // The ticks are so far apart that the events are in the journal alone.
            let daemon = try RunningDaemon(
                data: folder.place("data"), environment: faults.environment(root: folder.path, tick: 600_000))
            let event = #"APPEND note-1 {"type":"Wrote","data":1}"#
            expect(try daemon.client().ask(event).number("position") == 1)
            try daemon.kill()
            let journal = daemon.data + "/log.journal"
            try Files.write("", to: journal + ".lost")
            faults.arm([FaultRule(kinds: .remove, count: .max / 2, action: .pretend, path: "log.journal.lost")])
            try daemon.start()
            expect(faults.struck(0) > 0)
            expect(try daemon.client().ask(event).number("position") == 2)
            try daemon.kill()
            faults.disarm()
            expect(unlink(journal) == 0)
            try daemon.start()
            let left = try daemon.client().ask("PING").number("position") ?? .max
            expect(left < 2, "an acknowledged event is gone without a word")
            try daemon.kill()
        }
    }
}
