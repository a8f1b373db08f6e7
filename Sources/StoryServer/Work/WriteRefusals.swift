import StoryCore

/// The reasons for which writes are refused, and when they are tried again.
struct WriteRefusals {
    /// A full disk, with the delay for which writes are refused.
    private var fullDisk: (failure: Failure, retry: RetryTimer)?
    /// An ordering service without room, with the same delay.
    private var fullEtcd: RetryTimer?
    /// True while folded events that cannot be stored use too much memory.
    var isMemoryFull = false
    /// True while etcd keeps too many entries.
    var isTailFull = false
    /// True while the models are damaged where a write needs them.
    var areModelsDamaged = false

    /// True while writes are refused because the disk is full.
    var isDiskFull: Bool { fullDisk != nil }

    /// The failure that each write is refused with; nil while writes are accepted.
    var failure: Failure? { fullDisk?.failure ?? (fullEtcd == nil ? failureBesidesDisk : .etcdFull) }

    /// The failure that each write is refused with for other reasons than a full disk; nil where there is none.
    var failureBesidesDisk: Failure? {
        if areModelsDamaged {
            return Failure(.busy, "the read models are damaged, and new ones are being built; try again later")
        }
        if isMemoryFull {
            return Failure(.busy, "the models cannot be stored and memory is used up; try again later")
        }
        guard isTailFull else { return nil }
        return Failure(
            .busy,
            "etcd keeps many events that no second node has stored: start another node, or remove those that "
                + "are gone")
    }

    /// Refuses writes for a while, since the disk is full, or etcd: then the own disk is as it was.
    mutating func isFull(_ failure: Failure, at tick: UInt64) {
        if failure == .etcdFull {
            fullEtcd = RetryTimer(at: tick)
        } else {
            fullDisk = (failure, RetryTimer(at: tick))
        }
    }

    /// Accepts writes again when the time of the refusal is over; `tick`: the current tick, of 0.1 s.
    mutating func ticked(_ tick: UInt64) {
        if let fullDisk, fullDisk.retry.hasEnded(at: tick) { self.fullDisk = nil }
        if let fullEtcd, fullEtcd.hasEnded(at: tick) { self.fullEtcd = nil }
    }
}

/// The time for which writes have waited without one that was acknowledged.
struct WriteStall {
    /// The ticks of 0.1 s after which the wait is long.
    private static let most: UInt64 = 50

    private var acknowledged = Position.zero
    private var ticks: UInt64 = 0

    /// True while writes have waited for five seconds.
    var isLong: Bool { ticks >= WriteStall.most }

    /// Counts a tick.
    mutating func ticked(areWaiting: Bool, acknowledged: Position) {
        ticks = areWaiting && acknowledged == self.acknowledged ? ticks + 1 : 0
        self.acknowledged = acknowledged
    }
}
