import StoryCore
import StoryEngine
import StoryLog
import StoryStorage

/// The periodic work of the loop, ten times a second.
///
/// It checks the right to serve the directory, reports to the service manager, computes rates, checks the clock, ends
/// idle connections, returns freed memory to the system, and begins a checkpoint when the store is quiet.
final class Housekeeping {
    static let ticksPerSecond: UInt64 = 10

    private let clock: Clock
    private let trace: Trace
    private let figures: Figures
    private let slow: SlowRequests
    private let log: any EventLog
    private let manager: ServiceManager
    private let returnFreedPages: () -> Void
    private let renewCertificates: () -> Void
    private let rightCheck: () throws(StorageError) -> Void
    private let driver: CommitDriver
    private let connections: Connections
    private let requests: Requests
    private let idle: IdleConnections
    private var clockWatch: ClockWatch
    private let memory: ClientMemory
    private var freed = ConnectionMemory()

    /// - Parameters:
    ///   - returnFreedPages: returns freed memory to the system.
    ///   - renewCertificates: reads the files of certificates again where they have changed.
    ///   - holdRight: throws where this process lost the right to serve the data directory.
    init(
        clock: Clock, trace: Trace, figures: Figures, slow: SlowRequests, log: any EventLog, manager: ServiceManager,
        returnFreedPages: @escaping () -> Void, renewCertificates: @escaping () -> Void,
        holdRight: @escaping () throws(StorageError) -> Void,
        driver: CommitDriver, connections: Connections, requests: Requests, memory: ClientMemory, idle: IdleConnections
    ) {
        (self.clock, self.trace, self.figures, self.slow, self.log) = (clock, trace, figures, slow, log)
        (self.manager, self.returnFreedPages, rightCheck) = (manager, returnFreedPages, holdRight)
        self.renewCertificates = renewCertificates
        (self.driver, self.connections, self.requests, self.memory) = (driver, connections, requests, memory)
        self.idle = idle
        clockWatch = ClockWatch(clock, trace)
    }

    /// Counts a tick of 0.1 s, and does the work that is due.
    func ticked() {
        driver.ticked()
        let now = clock.steady()
        manager.turned(at: now)
        figures.tick(nanoseconds: now)
        clockWatch.look()
        figures.set(.clockBehind, clockWatch.isBehind(log.lastTime))
        freed.saw(memory.used)
        guard driver.tick % Housekeeping.ticksPerSecond == 0 else { return }
        holdRight()
        renewCertificates()
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
        guard driver.stopReason == nil else { return }
        do throws(StorageError) { try rightCheck() } catch { driver.fail(error) }
    }

    /// Ends the connections that use resources and are idle.
    private func endIdle() {
        let due = idle.due(
            at: driver.tick, isRoomWanted: requests.wasRefused, isLineWanted: requests.reading.isWanted,
            isMemoryWanted: memory.takeWanted())
        requests.wasRefused = false
        guard !due.isEmpty else { return }
        for (connection, seconds) in due { requests.endIdle(connection, seconds: seconds) }
        trace.say("idle", ["ended": "\(due.count)", "connections": "\(connections.liveCount)"])
    }
}
