package import StoryCore
package import StoryLog
import StoryReactor
package import StoryServer
import StoryStorage
import Synchronization

/// The shipped loop over memory: no socket, no file, and a clock and a disk that the test drives.
package final class LoopBench {
    /// What a slow sync takes, in nanoseconds: far more than what the loop waits for.
    package static let slowSync: UInt64 = 3_000_000

    package let log = MemoryEventLog()
    package let models = MemoryModels()
    package let commits = HeldCommits()
    package let transport = MemoryTransport()
    package let server: Server
    private let shared = Shared()
    private var ids: [String: ConnectionID] = [:]

    /// What closures on other threads see, too.
    private final class Shared: Sendable {
        let isWoken = Atomic(false)
        let milliseconds = Atomic<Int64>(1_800_000_000_000)
        let steady = Atomic<UInt64>(0)
        let steadyStep = Atomic<UInt64>(100)
        let said = Mutex<[String]>([])
    }

    package init(_ limits: Limits = Limits()) {
        var configuration = ServerConfiguration(data: "memory", socket: "none")
        configuration.limits = limits
        let shared = shared
        let now: @Sendable () -> Instant = {
            Instant(milliseconds: shared.milliseconds.add(1, ordering: .relaxed).newValue)
        }
        let clock = Clock(
            now: now,
            steady: {
                shared.steady.add(shared.steadyStep.load(ordering: .relaxed), ordering: .relaxed).newValue
            })
        let trace = Trace(now: now) { line in
            shared.said.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        let work = LogWork(verify: { _ in { [] } }, backUp: { _, _ in { [] } })
        do throws(StorageError) {
            server = Server(
                dependency: try ServerDependency(
                    configuration, clock: clock, trace: trace, log: log, models: models, logWork: work,
                    commits: commits, transport: transport,
                    wake: { shared.isWoken.store(true, ordering: .relaxed) }, uid: 1_000))
        } catch {
            preconditionFailure("models in memory are read: \(error)")
        }
        log.whenFlushed = { shared.isWoken.store(true, ordering: .relaxed) }
    }

    /// What was traced.
    package var trace: [String] { shared.said.withLock { $0 } }

    /// How often so much was traced.
    package func said(_ text: String) -> Int { trace.count { $0.contains(text) } }

    // MARK: Clients

    /// Opens a connection; its greeting is heard next.
    package func connect(_ name: String) {
        let id = ConnectionID(UInt64(ids.count + 1))
        ids[name] = id
        transport.open(id)
        server.connectionOpened(id, peer: PeerCredentials(uid: 1_000, gid: 1_000, pid: 1))
    }

    /// Opens a connection and hears its greeting.
    package func connected(_ names: String...) {
        for name in names { connect(name) }
        run()
        for name in names { _ = hear(name) }
    }

    /// What a client sends reaches the loop; the turn is not over yet.
    package func receive(_ text: String, from name: String) { receive(Array(text.utf8), from: name) }

    package func receive(_ bytes: [UInt8], from name: String) {
        bytes.withUnsafeBytes { server.bytesReceived(id(name), $0) }
    }

    /// What a client sends reaches the loop, and turns go by until nothing is left to do.
    package func send(_ lines: String..., from name: String) {
        receive(lines.map { $0 + "\n" }.joined(), from: name)
        run()
    }

    /// Sends one line and takes everything that the client heard by then.
    package func ask(_ line: String, from name: String) -> [String] {
        send(line, from: name)
        return hear(name)
    }

    /// Takes the lines that the client heard.
    package func hear(_ name: String) -> [String] { transport.takeLines(id(name)) }

    /// The client sends no more.
    package func endSending(_ name: String) {
        server.peerClosed(id(name))
        run()
    }

    /// Whether the client takes what it is sent.
    package func setTaking(_ name: String, _ isTaking: Bool) {
        transport.setTaking(id(name), isTaking)
        if isTaking, transport.takeUnsent(id(name)) { server.outputDrained(id(name)) }
    }

    /// True once the loop has ended the connection.
    package func isFinished(_ name: String) -> Bool { transport.isFinished(id(name)) }

    // MARK: The loop

    /// One turn ends; true when the loop wants another one at once.
    @discardableResult
    package func endTurn() -> Bool {
        if shared.isWoken.exchange(false, ordering: .relaxed) { server.woken() }
        server.turnEnded()
        return transport.takeTurnRequest() && !transport.isStopped
    }

    /// Ends turns until nothing is left to do.
    package func run() {
        var turns = 0
        while endTurn() || shared.isWoken.load(ordering: .relaxed) {
            turns += 1
            precondition(turns < 100_000, "The loop finds no end.")
        }
    }

    /// Ends turns until the checkpoint under way is stored, or failed.
    package func awaitStoring() { while server.isStoring { run() } }

    /// Tenths of a second go by.
    package func tick(_ count: Int = 1) {
        for _ in 0..<count {
            server.timerFired()
            run()
        }
    }

    /// From now on commits go beside the loop and end when `commits.end()` says so; writes one event for it.
    package func makeDiskSlow() {
        connected("disk")
        shared.steadyStep.store(LoopBench.slowSync, ordering: .relaxed)
        _ = ask(#"APPEND disk-1 {"type":"Slowed","data":{}}"#, from: "disk")
        shared.steadyStep.store(100, ordering: .relaxed)
    }

    /// The flush beside the loop ends, and the loop is told.
    package func endFlush() {
        log.endFlush()
        run()
    }

    /// The commit beside the loop ends, and the loop is told.
    package func endCommit() {
        commits.end()
        server.woken()
        run()
    }

    private func id(_ name: String) -> ConnectionID {
        guard let id = ids[name] else { preconditionFailure("\(name) is not connected") }
        return id
    }
}
