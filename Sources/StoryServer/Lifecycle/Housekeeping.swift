import StoryCore
import StoryEngine
import StoryLog
import StoryStorage

/// The periodic work of the loop, ten times a second.
///
/// It checks the right to serve the directory, reports to the service manager, computes rates, checks the clock, ends
/// idle connections, returns freed memory to the system, and begins a checkpoint when the store is quiet.
struct Housekeeping {
    /// The interval of the search for readers whose process ended, in ticks of 0.1 s.
    private static let readerTicks: UInt64 = 100

    let clock: Clock
    var clockWatch: ClockWatch
    let trace: Trace
    let figures: Figures
    let slow: SlowRequests
    let log: any EventLog
    let manager: ServiceManager
    /// Returns freed memory to the system.
    let returnFreedPages: () -> Void
    /// Reads the files of certificates again where they have changed, and returns the state of the own one.
    let renewCertificates: () -> CertificateState
    /// Throws where this process lost the right to serve the data directory.
    let rightCheck: () throws(StorageError) -> Void
    let driver: CommitDriver
    let connections: Connections
    let memory: ClientMemory
    let requests: Requests
    let idle: IdleConnections
    var freed = FreedMemory()

    /// Counts a tick of 0.1 s, and does the work that is due.
    mutating func ticked() {
        driver.ticked()
        let now = clock.steady()
        manager.turned(at: now)
        figures.tick(nanoseconds: now)
        clockWatch.look()
        figures.set(.clockBehind, clockWatch.isBehind(log.lastTime))
        freed.saw(memory.used)
        freed.modelsGaveUp(driver.declared.takeFreedBytes())
        guard driver.tick % Ticks.perSecond == 0 else { return }
        holdRight()
        if driver.tick % Housekeeping.readerTicks == 0 {
            driver.models.clearStaleReaders()
            log.clearStaleReaders()
        }
        let certificates = renewCertificates()
        for condition: StoreCondition in [.certificateNotRead, .certificateEnds] {
            figures.set(condition, certificates.conditions.contains(condition))
        }
        figures.certificateSeconds = certificates.secondsLeft
        slow.secondPassed()
        endIdle()
        trace.secondPassed()
        if freed.isMostFree(beside: memory.used) { returnFreedPages() }
        // Idle connections then give up the storage that they keep for later.
        if memory.level > .plenty { connections.all.forEach(connections.touched.add) }
        // The last second had no events: a good time to bring the stored models up to the log.
        if figures.eventsPerSecond == 0 { driver.storeIfQuiet() }
    }

    /// Stops the process where another one may serve the data directory.
    private func holdRight() {
        guard !driver.life.hasFailed else { return }
        do throws(StorageError) { try rightCheck() } catch { driver.fail(error) }
    }

    /// Ends the connections that use resources and are idle.
    private func endIdle() {
        let due = idle.due(
            at: driver.tick, isRoomWanted: requests.clients.wasRefused, isLineWanted: requests.reading.isWanted,
            isMemoryWanted: memory.takeWanted())
        requests.clients.wasRefused = false
        guard !due.isEmpty else { return }
        for (connection, seconds) in due { requests.clients.endIdle(connection, seconds: seconds) }
        trace.say("idle", ["ended": "\(due.count)", "connections": "\(connections.liveCount)"])
    }
}

/// A check of the wall clock: traces when it is far from the time of the log's last event at start-up, and when it
/// jumps.
///
/// Only the times of events depend on the clock, and they never decrease: while the clock is behind the log's last
/// event, events get the time of that event.
struct ClockWatch {
    /// The tolerated lag behind the log's last event, in milliseconds.
    private static let behind: Int64 = 60_000
    /// The tolerated lead over the log's last event, in milliseconds: a store may not have been served for a month.
    private static let ahead: Int64 = 31 * 86_400_000
    /// The tolerated jump between two looks, in milliseconds.
    private static let jump: Int64 = 60_000

    private let clock: Clock
    private let trace: Trace
    private var last: (wall: Int64, steady: Int64)?

    init(_ clock: Clock, _ trace: Trace) {
        self.clock = clock
        self.trace = trace
    }

    /// Compares the clock with the time of the log's last event at start-up; nil for an empty log.
    func started(after time: Instant?) {
        guard let time else { return }
        let distance = clock.now().milliseconds - time.milliseconds
        if distance < -ClockWatch.behind {
            trace.say("clock-behind", ["seconds": "\(-distance / 1_000)", "last": time.text])
        } else if distance > ClockWatch.ahead {
            trace.say("clock-ahead", ["seconds": "\(distance / 1_000)", "last": time.text])
        }
    }

    /// Returns true while the clock is more than the tolerated lag behind the log's last event.
    func isBehind(_ time: Instant?) -> Bool {
        guard let time else { return false }
        return clock.now().milliseconds - time.milliseconds < -ClockWatch.behind
    }

    /// Compares the wall clock with the steady clock since the last look; called ten times a second.
    mutating func look() {
        let now = (wall: clock.now().milliseconds, steady: Int64(clamping: clock.steady() / 1_000_000))
        defer { last = now }
        guard let last else { return }
        let jumped = (now.wall - last.wall) - (now.steady - last.steady)
        guard abs(jumped) > ClockWatch.jump else { return }
        trace.say("clock-jumped", ["seconds": "\(jumped / 1_000)"])
    }
}
