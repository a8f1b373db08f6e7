package import StoryCore
package import StoryLog
package import StoryReactor
package import StoryServer
package import StoryStorage
import Synchronization

/// The shipped loop without a system: its sockets are memory, its clock and what is beside it are the test's, and so is
/// the store that it serves.
package class DrivenLoop {
    package let clock: DrivenClock
    package let transport = MemoryTransport()
    package let server: Server
    private let woken: WakeFlag
    private let said: Said
    private var ids: [String: ConnectionID] = [:]
    /// How many connections there were.
    private var connections = 0

    /// The lines of the trace.
    private final class Said: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// - Parameters:
    ///   - twisted: what stands between the loop and its sockets.
    ///   - woken: what has the loop look for what ended beside it.
    ///   - follow: the source of a replica.
    ///   - node: the node of a cluster that the store is.
    /// - Throws: what reading the models failed with.
    package init(
        _ limits: Limits = Limits(), _ clock: DrivenClock = DrivenClock(), log: any EventLog,
        models: any ServedModels, modelFolders: any ModelFolders = MemoryModelFolders(), logWork: LogJobs,
        commits: any CommitRunner,
        background: BackgroundStarter = .threads,
        holdRight: @escaping () throws(StorageError) -> Void = {}, woken: WakeFlag = WakeFlag(), follow: String? = nil,
        node: ClusterNode? = nil, find: FindSetting = .auto,
        through twisted: (MemoryTransport) -> any Transport = { $0 }
    ) throws(StorageError) {
        var configuration = ServerConfiguration(data: "memory", socket: "none")
        configuration.limits = limits
        (configuration.follow, configuration.find) = (follow, find)
        let said = Said()
        (self.woken, self.said) = (woken, said)
        self.clock = clock
        let trace = Trace(now: { clock.now() }) { line in
            said.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        server = Server(
            dependency: try ServerDependency(
                configuration, clock: clock.clock, trace: trace, log: log, models: models, modelFolders: modelFolders,
                logWork: logWork,
                commits: commits, node: node, transport: twisted(transport), background: background,
                wake: { woken.set() },
                holdRight: holdRight, uid: 1_000))
    }

    /// Has the loop look for what ended beside it.
    package var wake: @Sendable () -> Void { { [woken] in woken.set() } }

    /// What was traced.
    package var trace: [String] { said.lines.withLock { $0 } }

    /// How often so much was traced.
    package func said(_ text: String) -> Int { trace.count { $0.contains(text) } }

    // MARK: Clients

    /// Opens a connection; its greeting is heard next.
    package func connect(_ name: String) {
        connections += 1
        let id = ConnectionID(UInt64(connections))
        ids[name] = id
        transport.open(id)
        server.connectionOpened(id, peer: PeerCredentials(uid: 1_000, gid: 1_000, pid: 1))
    }

    /// Opens connections and hears their greetings.
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

    /// The client takes so many bytes of what waits for it.
    package func take(_ count: Int, by name: String) {
        if transport.takeUnsent(id(name), atMost: count) { server.outputDrained(id(name)) }
    }

    /// The connection is gone, whoever ended it.
    package func close(_ name: String) {
        let id = id(name)
        ids[name] = nil
        transport.close(id)
        server.connectionClosed(id)
    }

    /// True while the loop leaves what the client sends where it is.
    package func isPaused(_ name: String) -> Bool { transport.isPaused(id(name)) }

    /// True once the loop has ended the connection.
    package func isFinished(_ name: String) -> Bool { transport.isFinished(id(name)) }

    // MARK: The loop

    /// One turn ends; true when the loop wants another one at once.
    @discardableResult
    package func endTurn() -> Bool {
        if woken.take() { server.woken() }
        server.turnEnded()
        return transport.takeTurnRequest() && !transport.isStopped
    }

    /// Ends turns until nothing is left to do.
    package func run() {
        var turns = 0
        while endTurn() || woken.isSet {
            turns += 1
            precondition(turns < 100_000, "The loop finds no end.")
        }
    }

    /// Tenths of a second go by.
    package func tick(_ count: Int = 1) {
        for _ in 0..<count {
            server.timerFired()
            run()
        }
    }

    /// What the loop knows a client's connection by.
    package func id(_ name: String) -> ConnectionID {
        guard let id = ids[name] else { preconditionFailure("\(name) is not connected") }
        return id
    }
}
