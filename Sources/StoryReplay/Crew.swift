import Glibc
import StoryStorage
import Synchronization

/// Some threads that do the same work beside one another, in pieces that each takes as it is ready.
struct Crew {
    /// More of them would wait for memory.
    private static let maxCount = 8

    let count: Int

    init() { count = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), Crew.maxCount) }

    /// Does the work for 0 ..< `pieces`; one member of the crew is the caller. Ends when all is done.
    ///
    /// - Parameter work: with the member's number and the piece's; false where the whole is of no use any more.
    /// - Returns: false when any piece answered false.
    func share(
        _ pieces: Int, _ work: @escaping @Sendable (_ member: Int, _ piece: Int) -> Bool,
        meanwhile: () -> Void = {}
    ) -> Bool {
        let taken = Taken(pieces)
        let others = (1..<max(count, 1)).map { member in
            BackgroundJob<Bool>(on: .helpers, { taken.all { work(member, $0) } }, whenDone: {})
        }
        _ = taken.all { piece in
            meanwhile()
            return work(0, piece)
        }
        for other in others { _ = other.wait() }
        return taken.isUseful
    }
}

/// Which pieces were taken.
private final class Taken: Sendable {
    private let pieces: Int
    private let next = Atomic<Int>(0)
    private let isBroken = Atomic<Bool>(false)

    init(_ pieces: Int) { self.pieces = pieces }

    var isUseful: Bool { !isBroken.load(ordering: .acquiring) }

    /// Takes one after the other.
    func all(_ work: (Int) -> Bool) -> Bool {
        while isUseful {
            let piece = next.add(1, ordering: .relaxed).oldValue
            guard piece < pieces else { return true }
            if !work(piece) { isBroken.store(true, ordering: .releasing) }
        }
        return false
    }
}
