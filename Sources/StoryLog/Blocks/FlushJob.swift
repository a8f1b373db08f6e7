import StoryStorage
import StoryCore

/// One flush: seals records into blocks and stores them, usually on a background thread while commits continue.
struct FlushJob {
    /// The last position that is in blocks once the flush succeeds.
    let through: Position
    /// The first positions of the blocks that it stores.
    let firsts: [UInt64]
    /// The work, which returns the seal of the last block.
    let work: BackgroundJob<Seal>

    /// - Parameter sections: at least one.
    init(_ sections: [BlockSection], after seal: Seal, _ environment: Environment) {
        precondition(!sections.isEmpty, "flush of no records")
        through = Position(sections[sections.count - 1].run.last)
        firsts = sections.map(\.run.first)
        work = BackgroundJob { () throws(StorageError) in try environment.store(sections, after: seal) }
    }
}
