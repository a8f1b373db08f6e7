import StoryCore

/// The reasons for which writes are refused, and when they are tried again.
struct WriteRefusals: Equatable {
    /// A full disk, with the delay for which writes are refused.
    private struct FullDisk: Equatable {
        let failure: Failure
        let retry: RetryTimer
    }

    private var fullDisk: FullDisk?
    private var isMemoryFull = false
    private var isTailFull = false
    /// True while writes are refused because the fold of one met damage of the models.
    private(set) var areModelsDamaged = false

    /// True while writes are refused because the disk is full.
    var isDiskFull: Bool { fullDisk != nil }

    /// The failure that each write is refused with; nil while writes are accepted.
    var failure: Failure? { fullDisk?.failure ?? failureBesidesDisk }

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
            "the engine keeps many events that no second node has stored: start another node, or remove those that "
                + "are gone")
    }

    /// Begins or ends the refusal of writes while the models are damaged where a write needs them.
    mutating func modelsAreDamaged(_ areDamaged: Bool) { areModelsDamaged = areDamaged }

    /// Refuses writes for a while, since the disk is full.
    mutating func diskIsFull(_ failure: Failure, at tick: UInt64) {
        fullDisk = FullDisk(failure: failure, retry: RetryTimer(at: tick))
    }

    /// Begins or ends the refusal of writes while folded events that cannot be stored use too much memory.
    mutating func memoryIsFull(_ isFull: Bool) { isMemoryFull = isFull }

    /// Begins or ends the refusal of writes while the engine keeps too many entries.
    mutating func tailIsFull(_ isFull: Bool) { isTailFull = isFull }

    /// Accepts writes again when the time of the refusal is over; `tick`: the current tick, of 0.1 s.
    mutating func ticked(_ tick: UInt64) {
        if let fullDisk, fullDisk.retry.hasEnded(at: tick) { self.fullDisk = nil }
    }
}
