import StoryCore
import StoryFold
import TestSupport
import Testing

/// What goes into the log for ever is not taken from stored models alone.
@Suite struct StoredFactsTests {
    /// The store after two events of note-a, as it was read from a disk, with another head of that stream.
    private func world(_ number: UInt64, _ version: UInt64, _ position: UInt64) -> EngineHarness {
        let world = EngineHarness()
        world.ask(.append("note-a", "A"))
        world.ask(.append("note-b", "A"))
        world.ask(.append("note-a", "B", key: "k"))
        var head: [UInt8] = []
        for number in [number, version, position] {
            head += withUnsafeBytes(of: number.bigEndian, Array.init).suffix(6)
        }
        head.withUnsafeBytes { head in
            Array("note-a".utf8).withUnsafeBytes { key in
                world.store.put(head, in: StreamTables.streams.number, at: key)
            }
        }
        world.store.checkpointed = Position(3)
        return world
    }

    @Test(
        arguments: [(1, 3, 3), (2, 2, 3), (1, 2, 1), (1, 2, 2), (1, 1, 3), (1, 2 + 1 << 32, 3)]
            as [(UInt64, UInt64, UInt64)])
    func `a stream's head that the log does not have refuses the write`(head: (UInt64, UInt64, UInt64)) {
        let world = world(head.0, head.1, head.2)
        let answer = world.ask(.append("note-a", "C"))
        expect(answer.code == .internal, "\(answer)")
        expect(world.log.head == Position(3), "nothing is written")
        expect(world.ask(.append("note-b", "C")).receipt?.version == Version(2), "others go on")
    }

    @Test func `a write that is repeated is answered whatever its stream's head says`() {
        let world = world(1, 2, 1)
        let again = world.ask(.append("note-a", "B", key: "k")).receipt
        expect(again?.repeated == true && again?.position == Position(3))
        expect(world.ask(.append("note-a", "B", key: "l")).code == .internal, "a new one is refused")
    }

    @Test func `one that the log has is gone on from`() {
        let world = world(1, 2, 3)
        expect(world.ask(.append("note-a", "C")).receipt?.version == Version(3))
        expect(world.ask(.append("note-a", "D")).receipt?.version == Version(4), "and what is in memory is believed")
    }
}
