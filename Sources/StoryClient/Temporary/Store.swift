import Synchronization

/// A store of this process's own: a daemon in a temporary folder, for tests and for trying things.
///
/// It ends, and its folder is removed, with ``stop()``, when the last reference to it is released, or when this process
/// ends, however that happens.
public final class Store: Sendable {
    /// The socket of its daemon.
    public let address: StoreAddress
    /// A client of it, for any number of tasks.
    public let client: StoreClient
    private let daemon: Mutex<StoreProcess?>

    private init(_ daemon: StoreProcess) {
        address = StoreAddress(path: daemon.folder.socket)
        client = StoreClient(address)
        self.daemon = Mutex(daemon)
    }

    deinit { end() }

    /// Starts a daemon with an empty store in a temporary folder, and waits until it serves.
    ///
    /// - Parameter program: the path of `stored`; nil: the one in the folder `STORYKEEP_BIN`, else the first in `PATH`.
    /// - Parameter timeLimit: the time limit for the daemon to serve.
    /// - Throws: ``StoreStartError``, or `CancellationError`; nothing is left behind then.
    public static func temporary(
        program: String? = nil, timeLimit: Duration = .seconds(30)
    ) async throws -> Store {
        let store = Store(try StoreProcess(program: try StoreProcess.program(program)))
        try await store.waitUntilItServes(for: timeLimit)
        return store
    }

    /// Ends the daemon and removes its folder; a second call does nothing. The sequences of events and changes that its
    /// client follows end.
    public func stop() async {
        await client.close()
        end()
    }

    private func end() {
        client.dialer.isOver.set()
        daemon.withLock { $0.take() }?.end()
    }

    private func waitUntilItServes(for limit: Duration) async throws {
        let start = ContinuousClock.now
        while !isServing {
            let (hasEnded, trace) = daemon.withLock { ($0?.hasEnded ?? true, $0?.folder.lastTraceLine ?? "") }
            if hasEnded { throw StoreStartError.ended(trace: trace) }
            if start.duration(to: .now) > limit { throw StoreStartError.notReady(after: limit, trace: trace) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private var isServing: Bool { (try? Descriptor(connectedTo: address.path, owner: nil)) != nil }
}

/// A failure to start a temporary store.
public enum StoreStartError: Error, Hashable, Sendable {
    /// There is no `stored` at any of these paths.
    case noProgram(paths: [String])
    /// The system refused a call.
    case system(call: String, reason: String)
    /// The daemon ended before it served; `trace` is the last line of its trace.
    case ended(trace: String)
    /// The daemon did not serve in time; `trace` is the last line of its trace.
    case notReady(after: Duration, trace: String)
}

extension StoreStartError: CustomStringConvertible {
    /// One sentence, with the next step.
    public var description: String {
        switch self {
        case .noProgram(let paths):
            "there is no stored at \(paths.joined(separator: ", ")); install it, or set STORYKEEP_BIN to its folder"
        case .system(let call, let reason): "\(call) failed: \(reason)"
        case .ended(let trace): "stored ended before it served; it printed: \(trace)"
        case .notReady(let limit, let trace): "stored did not serve within \(limit); it printed: \(trace)"
        }
    }
}
