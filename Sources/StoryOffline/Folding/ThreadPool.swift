import Glibc
import StoryStorage
import Synchronization

/// A pool of threads that share one task in pieces: a thread takes the next piece when it is free.
struct ThreadPool {
    /// The most threads that are used: more of them would wait for memory.
    private static let maxCount = 8

    let count: Int

    init() { count = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), ThreadPool.maxCount) }

    /// Runs `work` for each piece in 0 ..< `pieces`; one member of the pool is the caller. Returns when all are done.
    ///
    /// - Parameters:
    ///   - work: takes the member's number and the piece's; returns false to abandon the remaining pieces.
    ///   - meanwhile: runs on the calling thread before each of its pieces.
    /// - Returns: false when any piece returned false.
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

/// The counter from which the threads take the next piece.
private final class Taken: Sendable {
    private let pieces: Int
    private let next = Atomic<Int>(0)
    private let isBroken = Atomic<Bool>(false)

    init(_ pieces: Int) { self.pieces = pieces }

    var isUseful: Bool { !isBroken.load(ordering: .acquiring) }

    /// Runs `work` on one piece after the other until none is left; false once any piece has returned false.
    func all(_ work: (Int) -> Bool) -> Bool {
        while isUseful {
            let piece = next.add(1, ordering: .relaxed).oldValue
            guard piece < pieces else { return true }
            if !work(piece) { isBroken.store(true, ordering: .releasing) }
        }
        return false
    }
}
