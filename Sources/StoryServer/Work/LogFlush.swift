import StoryCore
import StoryEngine
import StoryLog

/// The flushes of the journal into the log, in the background; after one that found no room, it waits for a second.
final class LogFlush {
    private let log: any EventLog
    private let trace: Trace
    private let figures: Figures
    /// The position through which the log was flushed when a flush found no room, and the delay before it is retried.
    private var refusal: (flushed: Position, retry: RetryTimer)?
    /// The current tick, of 0.1 s.
    private var tick: UInt64 = 0

    init(_ log: any EventLog, _ trace: Trace, _ figures: Figures = Figures()) {
        self.log = log
        self.trace = trace
        self.figures = figures
    }

    func ticked(_ tick: UInt64) { self.tick = tick }

    /// Begins to flush the events that fill whole blocks.
    func startIdle() {
        if mayTry { log.startFlush() }
    }

    /// Returns true when the log is flushed through a position; else begins a flush, now or later, that reaches it.
    ///
    /// - Parameter isUrgent: whether a full disk is tried again at once.
    func reaches(_ position: Position, isUrgent: Bool) -> Bool {
        guard log.flushed < position else { return true }
        if position <= log.committed, isUrgent || mayTry { log.startFlush(through: position) }
        return false
    }

    /// Finishes a flush that has ended.
    ///
    /// - Throws: as `EventLog.pollFlush`.
    func poll() throws(StorageError) { try noting { () throws(StorageError) in try log.pollFlush() } }

    /// Flushes all committed events and waits for it, after the loop has ended.
    ///
    /// - Throws: as `EventLog.flush`.
    func finish() throws(StorageError) { try noting { () throws(StorageError) in try log.flush() } }

    private func noting(_ flush: () throws(StorageError) -> Void) throws(StorageError) {
        let before = log.flushed
        do throws(StorageError) {
            try flush()
            if log.flushed > before {
                figures.flushes += 1
                figures.set(.flushFailed, false)
            }
        } catch {
            if error.refusal != nil, !isRefused { trace.say("flush-failed", ["reason": "\(error)"]) }
            figures.set(.flushFailed, true)
            refusal = (log.flushed, RetryTimer(at: tick))
            throw error
        }
    }

    /// True while the last flush found no room.
    private var isRefused: Bool { refusal.map { $0.flushed == log.flushed } ?? false }

    private var mayTry: Bool { !isRefused || refusal?.retry.hasEnded(at: tick) ?? true }
}
