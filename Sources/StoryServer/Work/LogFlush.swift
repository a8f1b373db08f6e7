import StoryCore
import StoryEngine
import StoryLog

/// Lets the log take over what its journal holds; between two turns.
final class LogFlush {
    /// How many tenths of a second a full disk is left alone.
    private static let retryTicks: UInt64 = 10

    /// Why it was not done, and when it is tried again.
    private struct Refusal {
        let error: StorageError
        let untilTick: UInt64
    }

    private let log: any EventLog
    private let trace: Trace
    private var refusal: Refusal?

    init(_ log: any EventLog, _ trace: Trace) {
        self.log = log
        self.trace = trace
    }

    /// Takes over all that is committed. For a second after the disk was full it is not tried.
    func run(at tick: UInt64) -> Result<Void, StorageError> {
        guard log.flushed < log.committed else {
            refusal = nil
            return .success(())
        }
        if let refusal, tick < refusal.untilTick { return .failure(refusal.error) }
        do throws(StorageError) {
            try log.flush()
            refusal = nil
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// The log could not take it over: for a second it is not tried.
    func failed(_ error: StorageError, at tick: UInt64) {
        // One that is refused for that second was told of before.
        if let refusal, tick < refusal.untilTick { return }
        if error.isFull, refusal == nil { trace.say("flush-failed", ["reason": "\(error)"]) }
        refusal = Refusal(error: error, untilTick: tick + LogFlush.retryTicks)
    }

    /// The next run tries, whatever happened before.
    func forgetRefusal() { refusal = nil }
}
