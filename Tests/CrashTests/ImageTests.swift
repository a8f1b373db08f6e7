import Glibc
import TestSupport
import Testing

/// What a disk is said to hold, from calls that are made up.
@Suite struct ImageTests {
    /// Calls on a file `/r/f`, which is there and holds 1,024 zeros; each ends before the next one begins.
    private struct Calls {
        private(set) var all: [RecordedCall] = []

        init() {
            add(.begins)
            add(.opens, result: 3, path: "/r/f")
            add(.opens, result: 4, path: "/r")
        }

        mutating func add(
            _ kind: RecordedCall.Kind, result: Int = 0, at: Int = 0, fd: Int32 = 3, flags: Int32 = 0, path: String = "",
            other: String = "", bytes: [UInt8] = []
        ) {
            let clock = UInt64(2 * all.count + 1)
            all.append(
                RecordedCall(
                    kind: kind, begin: clock, end: clock + 1, result: kind == .writes ? bytes.count : result, at: at,
                    process: 1, fd: fd, flags: flags, path: path, other: other, bytes: bytes))
        }

        mutating func write(_ byte: UInt8, at: Int, count: Int = 512, flags: Int32 = 0) {
            add(.writes, at: at, flags: flags, bytes: Array(repeating: byte, count: count))
        }

        /// What waits for a sync in the end, and what the file then holds with that or without it.
        func end() throws -> (waiting: Int, without: [UInt8], with: [UInt8]) {
            let folder = TemporaryFolder()
            RawFile.write(Array(repeating: 0, count: 1_024), folder.path + "/f")
            let player = Player(all, on: try Disk(folder.path, named: "/r"))
            try player.run { _ in }
            let space = ImageSpace(player.disk)
            let images = [false, true].map { space.image(Array(repeating: $0, count: space.count)) }
            return (space.count, images[0].file("f") ?? [], images[1].file("f") ?? [])
        }
    }

    @Test func `what no sync has covered is there or not, sector by sector`() throws {
        var calls = Calls()
        calls.write(1, at: 0, count: 1_024)
        let end = try calls.end()
        expect(end.waiting == 2)
        expect(end.without == Array(repeating: 0, count: 1_024))
        expect(end.with == Array(repeating: 1, count: 1_024))
    }

    @Test func `a sync makes durable what ended before it began, and nothing else`() throws {
        var calls = Calls()
        calls.write(1, at: 0)
        calls.add(.syncs)
        calls.write(2, at: 512)
        let end = try calls.end()
        expect(end.waiting == 1)
        expect(end.without[0] == 1 && end.without[512] == 0)
        expect(end.with[512] == 2)
    }

    @Test func `a write that syncs itself makes its own bytes durable`() throws {
        var calls = Calls()
        calls.write(1, at: 0)
        calls.write(2, at: 512, flags: O_DSYNC)
        let end = try calls.end()
        expect(end.waiting == 1)
        expect(end.without[0] == 0 && end.without[512] == 2)
    }

    @Test func `an older version of a sector never comes back over a durable one`() throws {
        var calls = Calls()
        calls.write(1, at: 0)
        calls.write(2, at: 0, flags: O_DSYNC)
        let end = try calls.end()
        expect(end.waiting == 0)
        expect(end.with[0] == 2)
    }

    @Test func `a file's size and its bytes are kept or not by themselves`() throws {
        var calls = Calls()
        calls.write(1, at: 1_024)
        let end = try calls.end()
        expect(end.waiting == 2)
        expect(end.without.count == 1_024)
        expect(end.with.count == 1_536 && end.with[1_024] == 1)
    }

    @Test func `after a sync that failed a later one does not help, until the bytes are written again`() throws {
        var calls = Calls()
        calls.write(1, at: 0)
        calls.add(.syncs, result: -1)
        calls.add(.syncs)
        let lost = try calls.end()
        expect(lost.waiting == 1)
        expect(lost.without[0] == 0 && lost.with[0] == 1)
        calls.write(1, at: 0)
        calls.add(.syncs)
        let repaired = try calls.end()
        expect(repaired.waiting == 0)
        expect(repaired.without[0] == 1)
    }

    @Test func `a new name is durable once its folder is synced`() throws {
        var calls = Calls()
        calls.add(.renames, path: "/r/f", other: "/r/g")
        expect(try calls.end().waiting == 1)
        expect(try calls.end().with == [])
        calls.add(.syncs, fd: 4)
        expect(try calls.end().waiting == 0)
        expect(try calls.end().without == [])
    }

    @Test func `lines that tell of other events than the log has are found`() {
        let event = #"{"position":1,"stream":"a-1","version":1,"type":"T","time":"","by":0,"key":"w1","data":{}}"#
        func faults(_ line: String) -> Int {
            Reference(events: [event]).faults(in: [SentLines.Line(clock: 1, text: line)]).count
        }
        expect(faults("= \(event)") == 0 && faults(">1 \(event)") == 0)
        expect(faults(#"+@w1 {"stream":"a-1","version":1,"position":1}"#) == 0)
        expect(faults("= " + event.dropLast(2) + "x}}") == 1)
        expect(faults(#"+@w2 {"stream":"a-1","version":1,"position":1}"#) == 1)
        expect(faults(#"-@w1 {"code":"full"}"#) == 1)
        expect(faults(#"+ {"position":2}"#) == 1)
    }
}
