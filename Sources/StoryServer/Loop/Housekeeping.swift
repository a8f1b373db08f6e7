import StoryCore
import StoryEngine
import StoryLog
import StoryStorage

/// What the loop does ten times a second, whatever its clients do.
///
/// It holds the right to serve the directory, tells the service manager that it lives, counts rates, looks at the clock,
/// ends connections that do nothing, gives memory back that they needed, and has the models stored when there is time for
/// it.
final class Housekeeping {
    private static let ticksPerSecond: UInt64 = 10

    private let dependency: ServerDependency
    private let driver: TurnDriver
    private let connections: Connections
    private let requests: Requests
    private let idle: IdleConnections
    private var clockWatch: ClockWatch
    private let memory: ClientMemory
    private var freed = ConnectionMemory()

    init(
        _ dependency: ServerDependency, _ driver: TurnDriver, _ connections: Connections, _ requests: Requests,
        _ memory: ClientMemory
    ) {
        self.memory = memory
        self.dependency = dependency
        self.driver = driver
        self.connections = connections
        self.requests = requests
        idle = IdleConnections(connections, dependency.transport, dependency.configuration.limits)
        clockWatch = ClockWatch(dependency.clock, dependency.trace)
    }

    /// A tenth of a second went by.
    func ticked() {
        driver.ticked()
        let now = dependency.clock.steady()
        dependency.manager.turned(at: now)
        dependency.figures.tick(nanoseconds: now)
        clockWatch.look()
        dependency.figures.set(.clockBehind, clockWatch.isBehind(dependency.log.lastTime))
        freed.saw(memory.used)
        guard driver.tick % Housekeeping.ticksPerSecond == 0 else { return }
        holdRight()
        dependency.slow.secondPassed()
        endIdle()
        dependency.trace.secondPassed()
        if freed.isMostFree(beside: memory.used) { dependency.returnFreedPages() }
        // Those that do nothing leave what they keep for later to others.
        if memory.level > .plenty { connections.all.forEach(connections.touched.add) }
        // Nothing to do for a second: a good time to bring the stored models up to the log.
        if dependency.figures.eventsPerSecond == 0 { driver.storeIfQuiet() }
    }

    /// Ends the process where another one may serve the data directory.
    private func holdRight() {
        guard driver.stopReason == nil else { return }
        do throws(StorageError) { try dependency.holdRight() } catch { driver.fail(error) }
    }

    /// Ends the connections that take up room and do nothing.
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
