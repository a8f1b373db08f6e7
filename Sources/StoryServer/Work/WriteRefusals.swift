import StoryCore

/// Why writes are refused, and when they are tried again.
struct WriteRefusals: Equatable {
    /// How many tenths of a second a full disk is left alone.
    static let retryTicks: UInt64 = 10

    /// A disk that took no more, until this tick.
    private struct FullDisk: Equatable {
        let failure: Failure
        let untilTick: UInt64
    }

    private var fullDisk: FullDisk?
    private var isMemoryFull = false

    /// What each write is answered with now; nil while writes are taken.
    var failure: Failure? {
        if let fullDisk { return fullDisk.failure }
        guard isMemoryFull else { return nil }
        return Failure(.busy, "the models cannot be stored and memory is used up; try again later")
    }

    /// The disk took no more.
    mutating func diskIsFull(_ failure: Failure, at tick: UInt64) {
        fullDisk = FullDisk(failure: failure, untilTick: tick + WriteRefusals.retryTicks)
    }

    /// What was folded and cannot be stored takes more memory than it may, or no longer does.
    mutating func memoryIsFull(_ isFull: Bool) { isMemoryFull = isFull }

    /// A tenth of a second went by.
    mutating func ticked(_ tick: UInt64) {
        if let fullDisk, tick >= fullDisk.untilTick { self.fullDisk = nil }
    }
}
