import StoryCore

/// The taking over of the node's name from a process that had it before.
///
/// Another run over the same directory is gone, since it held the directory. Another directory's process may live: then it
/// reports within some seconds, and this one ends.
struct NameClaim: Equatable {
    /// How often the key is read, in nanoseconds.
    private static let interval: UInt64 = 500_000_000
    /// The longest time between two readings after which the silence counts on, in nanoseconds.
    private static let mostBetween: UInt64 = 2_000_000_000

    /// True once the name is this process's.
    var isDone = false
    /// The revision of the key when it was read first; nil before.
    private var revision: Int64?
    /// Since when it is known not to change, and when it was read last, in nanoseconds.
    private var (since, readAt): (UInt64, UInt64) = (0, 0)

    /// When the key is to be read again, in nanoseconds; nil while it is not.
    var nextAt: UInt64? { revision == nil || isDone ? nil : readAt + NameClaim.interval }

    /// Returns whether a process may write the key of its name now.
    ///
    /// - Parameters:
    ///   - found: the key; nil where there is none.
    ///   - head: the last event of its directory.
    /// - Throws: why it has to end.
    mutating func mayTake(
        _ found: Member?, for settings: ReplicaSettings, head: Position, at now: UInt64
    ) throws(ClusterError) -> Bool {
        guard let found else {
            guard !isDone else { throw .removed }
            return true
        }
        guard found.run != settings.run else { return true }
        guard !isDone else { throw .replaced }
        guard head >= found.stored else {
            throw .holdsLess(node: settings.node, stored: found.stored, here: head)
        }
        guard found.directory != settings.directory else { return true }
        guard let isGone = read(found, at: now) else {
            throw .inUse(node: settings.node, address: found.address)
        }
        return isGone
    }

    /// Takes the key of another directory's process.
    ///
    /// - Returns: true where that process is silent for so long that it is taken for gone, false where that is not known;
    ///   nil where it lives.
    private mutating func read(_ member: Member, at now: UInt64) -> Bool? {
        let known = revision ?? member.revision
        revision = known
        guard known == member.revision else { return nil }
        if readAt == 0 || now - readAt > NameClaim.mostBetween { since = now }
        readAt = now
        return now - since > LocalReport.silence
    }
}

extension Node {
    /// Ends for a reason that was found twice. Where it is found first, everything is read again: a byte may have changed on
    /// its way, and the ordering service may lack more than was asked for.
    mutating func failed(_ error: ClusterError) {
        switch state {
        case .stopped: return
        // Everything is being read again; the answers to earlier calls say nothing more.
        case .joining: if main != nil { return }
        case .registering, .seeding, .catchingUp, .following, .campaigning, .leading, .resigning: break
        }
        guard doubt != error else { return stop(error) }
        doubt = error
        if case .leading(let term) = state, term.writing != nil { calls.act(.writeEnded(.unknown)) }
        endTerm()
        if watch.isOn { calls.act(.endWatch(.live)) }
        watch.ended()
        incoming.clear()
        join()
    }
}
