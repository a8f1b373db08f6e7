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

    private let dependency: ServerDependency
    private let requests: Requests
    private let idle: IdleConnections
    private var clockWatch: ClockWatch
    private var freed = ConnectionMemory()
    private var driver: CommitDriver { requests.driver }
    private var connections: Connections { requests.connections }
    private var memory: ClientMemory { requests.memory }

    init(_ dependency: ServerDependency, _ requests: Requests) {
        (self.dependency, self.requests) = (dependency, requests)
        idle = IdleConnections(
            connections: requests.connections, transport: dependency.transport, limits: dependency.configuration.limits)
        clockWatch = ClockWatch(dependency.clock, dependency.trace)
    }

    /// Counts a tick of 0.1 s, and does the work that is due.
    func ticked() {
        driver.ticked()
        let now = dependency.clock.steady()
        let figures = dependency.figures
        dependency.manager.turned(at: now)
        figures.tick(nanoseconds: now)
        clockWatch.look()
        figures.set(.clockBehind, clockWatch.isBehind(dependency.log.lastTime))
        freed.saw(memory.used)
        guard driver.tick % Housekeeping.ticksPerSecond == 0 else { return }
        holdRight()
        dependency.renewCertificates()
        dependency.slow.secondPassed()
        endIdle()
        dependency.trace.secondPassed()
        if freed.isMostFree(beside: memory.used) { dependency.returnFreedPages() }
        // Idle connections then give up the storage that they keep for later.
        if memory.level > .plenty { connections.all.forEach(connections.touched.add) }
        // The last second had no events: a good time to bring the stored models up to the log.
        if figures.eventsPerSecond == 0 { driver.storeIfQuiet() }
    }

    /// Stops the process where another one may serve the data directory.
    private func holdRight() {
        guard driver.stopReason == nil else { return }
        do throws(StorageError) { try dependency.holdRight() } catch { driver.fail(error) }
    }

    /// Ends the connections that use resources and are idle.
    private func endIdle() {
        let due = idle.due(
            at: driver.tick, isRoomWanted: requests.wasRefused, isLineWanted: requests.reading.isWanted,
            isMemoryWanted: memory.takeWanted())
        requests.wasRefused = false
        guard !due.isEmpty else { return }
        for (connection, seconds) in due { requests.endIdle(connection, seconds: seconds) }
        dependency.trace.say("idle", ["ended": "\(due.count)", "connections": "\(connections.liveCount)"])
    }
}
