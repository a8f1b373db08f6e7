import StoryCluster
import StoryCore
import StoryReactor
import StoryStorage

/// A short conversation with the engine before the daemon serves: calls, one after the other, in a loop of its own.
///
/// A call whose outcome is unknown is made again at the next endpoint, until the patience is over.
final class EngineErrand: ReactorHandler, EngineReceiver {
    /// The next step after an answer.
    enum Step {
        case call(EngineCall)
        case done
    }

    /// Decides the next step.
    ///
    /// `isFirstTry`: false where an earlier try of the same call may have been carried out.
    typealias Decide = (_ answer: EngineAnswer, _ isFirstTry: Bool) throws(StorageError) -> Step

    private let settings: ClusterSettings
    private let reactor: Reactor
    private let engine: EtcdEngine
    private let clock: Clock
    private let decide: Decide
    private let patience: Int
    /// The ticks of 0.1 s that are left.
    private var left: UInt64
    private var call: EngineCall
    /// The number of the calls so far.
    private var calls: UInt64 = 0
    private var endpoint = 0
    private var isFirstTry = true
    /// True while the outcome of the last call is unknown, and the next tick repeats it.
    private var isWaiting = false
    private var outcome: Result<Void, StorageError>?

    private init(
        _ settings: ClusterSettings, patience: Int, clock: Clock, _ trace: Trace, first: EngineCall,
        decide: @escaping Decide
    ) throws(ReactorError) {
        (self.settings, self.patience, self.clock, self.decide) = (settings, patience, clock, decide)
        left = UInt64(clamping: patience) * 10
        call = first
        reactor = try Reactor()
        engine = EtcdEngine(
            settings.endpoints, user: settings.user, files: settings.files, lease: settings.lease, transport: reactor,
            trace: trace)
        engine.receiver = self
    }

    /// Makes calls until a decision says that all is done.
    ///
    /// - Parameters:
    ///   - settings: the engine.
    ///   - patience: how many seconds it is tried.
    ///   - clock: the clocks.
    ///   - trace: the daemon's trace.
    ///   - first: the first call.
    ///   - decide: decides on each answer whose outcome is known, also on a refusal.
    /// - Throws: the error of a decision; `.failed` with the reason where no answer came in time, or etcd refuses.
    static func run(
        _ settings: ClusterSettings, patience: Int, clock: Clock, trace: Trace, first: EngineCall,
        decide: @escaping Decide
    ) throws(StorageError) {
        let errand: EngineErrand
        do throws(ReactorError) {
            errand = try EngineErrand(
                settings, patience: patience, clock: clock, trace, first: first, decide: decide)
        } catch {
            throw .failed("\(error)")
        }
        errand.send()
        errand.reactor.run(errand)
        guard let outcome = errand.outcome else { throw errand.unanswered }
        try outcome.get()
    }

    private var unanswered: StorageError {
        let urls = settings.endpoints.map(\.url).joined(separator: ",")
        let reason = engine.lastFailure ?? "nothing answered"
        return .failed("etcd at \(urls) did not answer within \(patience) s: \(reason)")
    }

    private func send() {
        calls += 1
        isWaiting = false
        engine.call(CallID(calls), call, endpoint: endpoint)
    }

    private func finish(_ outcome: Result<Void, StorageError>) {
        self.outcome = outcome
        stop()
    }

    private func stop() {
        engine.end()
        reactor.stop()
    }

    // MARK: EngineReceiver

    func answered(_ id: CallID, _ answer: EngineAnswer) {
        guard outcome == nil else { return }
        switch answer {
        case .unknown, .refused(.tokenExpired):
            (isFirstTry, isWaiting) = (false, true)
            endpoint += 1
        case .refused(.denied):
            finish(
                .failure(
                    .failed(
                        "etcd lets this user not read and write keys below /storykeep/: check cluster-user, its "
                            + "password and its role")))
        case .refused(.other(let reason)): finish(.failure(.failed(reason)))
        case .full:
            finish(
                .failure(
                    .full(
                        "etcd is full (NOSPACE): run etcdctl defrag and etcdctl alarm disarm, or give it a larger "
                            + "--quota-backend-bytes")))
        case .refused, .ranged, .transacted, .granted, .renewed, .revoked, .compacted, .status: take(answer)
        }
    }

    private func take(_ answer: EngineAnswer) {
        do throws(StorageError) {
            switch try decide(answer, isFirstTry) {
            case .done: finish(.success(()))
            case .call(let next):
                (call, isFirstTry) = (next, true)
                send()
            }
        } catch {
            finish(.failure(error))
        }
    }

    /// Does nothing, since there is no watch.
    func watched(_ id: WatchID, _ batch: EngineWatchBatch) {}
    /// Does nothing, since there is no watch.
    func watchEnded(_ id: WatchID, _ end: EngineWatchEnd) {}

    // MARK: ReactorHandler

    /// Passes the event on, as those that follow.
    func connectionMade(_ id: ConnectionID) { engine.connected(id) }
    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) { engine.bytesReceived(id, bytes) }
    func peerClosed(_ id: ConnectionID) { engine.closed(id) }
    func connectionClosed(_ id: ConnectionID) { engine.closed(id) }
    func turnEnded() { engine.turnEnded() }

    func timerFired() {
        guard left > 0 else { return stop() }
        left -= 1
        engine.ticked(at: clock.steady())
        if isWaiting { send() }
    }

    func signalReceived(_ signal: Int32) { finish(.failure(.failed("ended by signal \(signal)"))) }
    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {}
    func clientNotAccepted(errno: Int32) {}
    func outputDrained(_ id: ConnectionID) {}
    func woken() {}
}
