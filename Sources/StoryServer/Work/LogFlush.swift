import StoryCore
import StoryEngine
import StoryLog

/// Has the log take over what its journal holds, beside the loop; a disk that was full is left alone for a second.
final class LogFlush {
    /// How many tenths of a second a full disk is left alone.
    private static let retryTicks: UInt64 = 10

    /// A flush that found no room.
    private struct Refusal {
        /// How far the log was flushed.
        let flushed: Position
        /// When it is tried again.
        let untilTick: UInt64
    }

    private let log: any EventLog
    private let trace: Trace
    private let figures: Figures
    private var refusal: Refusal?
    private var tick: UInt64 = 0

    init(_ log: any EventLog, _ trace: Trace, _ figures: Figures = Figures()) {
        self.log = log
        self.trace = trace
        self.figures = figures
    }

    /// A tenth of a second went by.
    func ticked(_ tick: UInt64) { self.tick = tick }

    /// Begins to take over what fills whole blocks.
    func startIdle() {
        if mayTry { log.startFlush() }
    }

    /// True when the log is flushed up to a position; where it is not, a flush is begun that reaches it, or will be.
    ///
    /// - Parameter isUrgent: whether a disk that was full is tried at once.
    func reaches(_ position: Position, isUrgent: Bool) -> Bool {
        guard log.flushed < position else { return true }
        if position <= log.committed, isUrgent || mayTry { log.startFlush(through: position) }
        return false
    }

    /// Takes note of a flush that has ended.
    ///
    /// - Throws: as `EventLog.pollFlush`.
    func poll() throws(StorageError) { try noting { () throws(StorageError) in try log.pollFlush() } }

    /// Takes over all that is committed, and waits for it; the loop has ended.
    ///
    /// - Throws: as `EventLog.flush`.
    func finish() throws(StorageError) { try noting { () throws(StorageError) in try log.flush() } }

    private func noting(_ flush: () throws(StorageError) -> Void) throws(StorageError) {
        let before = log.flushed
        do throws(StorageError) {
            try flush()
            if log.flushed > before {
                figures.flushed()
                figures.set(.flushFailed, false)
            }
        } catch {
            if error.isFull, !isRefused { trace.say("flush-failed", ["reason": "\(error)"]) }
            figures.set(.flushFailed, true)
            refusal = Refusal(flushed: log.flushed, untilTick: tick + LogFlush.retryTicks)
            throw error
        }
    }

    /// True while the last flush found no room.
    private var isRefused: Bool { refusal.map { $0.flushed == log.flushed } ?? false }

    private var mayTry: Bool { !isRefused || refusal.map { tick >= $0.untilTick } ?? true }
}
