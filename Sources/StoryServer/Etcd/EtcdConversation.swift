import StoryCluster
import StoryCore
import StoryReactor
import StoryStorage

/// A short conversation with etcd before the daemon serves: calls, one after the other, in a loop of its own.
///
/// A call whose outcome is unknown is made again at the next endpoint, until the patience is over.
final class EtcdConversation: ReactorHandler, OrderingReceiver {
    /// Returns the next call after an answer; nil where all is done.
    ///
    /// `isFirstTry`: false where an earlier try of the same call may have been carried out.
    typealias Decide = (_ answer: OrderingAnswer, _ isFirstTry: Bool) throws(StorageError) -> OrderingCall?

    private let log: OrderedLog
    private let reactor: Reactor
    private let etcd: EtcdService
    private let decide: Decide
    /// The ticks of 0.1 s that are left.
    private var ticksLeft: UInt64
    private var call: OrderingCall
    /// The number of the calls so far.
    private var calls: UInt64 = 0
    private var endpoint = 0
    private var isFirstTry = true
    /// True while the outcome of the last call is unknown, and the next tick repeats it.
    private var isWaiting = false
    private var outcome: Result<Void, StorageError>?

    private init(about log: OrderedLog, first: OrderingCall, decide: @escaping Decide) throws(StorageError) {
        (self.log, call, self.decide) = (log, first, decide)
        ticksLeft = UInt64(clamping: log.patience) * 10
        reactor = try Reactor.made()
        etcd = EtcdService(log.settings, over: reactor, log.trace)
        etcd.receiver = self
    }

    /// Makes calls until a decision says that all is done.
    ///
    /// - Parameters:
    ///   - log: the log that they are about.
    ///   - first: the first call.
    ///   - decide: decides on each answer whose outcome is known, also on a refusal.
    /// - Throws: the error of a decision; `.failed` with the reason where no answer came in time, or etcd refuses.
    static func run(
        about log: OrderedLog, first: OrderingCall, decide: @escaping Decide
    ) throws(StorageError) {
        let errand = try EtcdConversation(about: log, first: first, decide: decide)
        errand.send()
        errand.reactor.run(errand)
        guard let outcome = errand.outcome else { throw errand.unanswered }
        try outcome.get()
    }

    private var unanswered: StorageError {
        let reason = etcd.lastFailure ?? "nothing answered"
        return .failed("etcd at \(log.settings.urls) did not answer within \(log.patience) s: \(reason)")
    }

    private func send() {
        calls += 1
        isWaiting = false
        etcd.call(CallID(calls), call, endpoint: endpoint)
    }

    private func finish(_ error: StorageError?) {
        outcome = error.map { .failure($0) } ?? .success(())
        stop()
    }

    private func stop() {
        etcd.end()
        reactor.stop()
    }

    // MARK: OrderingReceiver

    func answered(_ id: CallID, _ answer: OrderingAnswer) {
        guard outcome == nil else { return }
        switch answer {
        case .unknown, .refused(.tokenExpired):
            (isFirstTry, isWaiting) = (false, true)
            endpoint += 1
        case .refused(.denied):
            finish(
                .failed(
                    "etcd lets this user not read and write keys below /storykeep/: check cluster-user, its "
                        + "password and its role"))
        case .refused(.other(let reason)): finish(.failed(reason))
        case .full:
            finish(
                .full(
                    "etcd is full (NOSPACE): run etcdctl defrag and etcdctl alarm disarm, or give it a larger "
                        + "--quota-backend-bytes"))
        case .refused, .ranged, .transacted, .granted, .renewed, .revoked, .compacted, .status: proceed(answer)
        }
    }

    private func proceed(_ answer: OrderingAnswer) {
        do throws(StorageError) {
            guard let next = try decide(answer, isFirstTry) else { return finish(nil) }
            (call, isFirstTry) = (next, true)
            send()
        } catch {
            finish(error)
        }
    }

    /// Does nothing, since there is no watch.
    func watched(_ id: WatchID, _ batch: OrderingWatchBatch) {}
    /// Does nothing, since there is no watch.
    func watchEnded(_ id: WatchID, _ end: OrderingWatchEnd) {}

    // MARK: ReactorHandler

    /// Passes the event on, as those that follow.
    func connectionMade(_ id: ConnectionID) { etcd.connected(id) }
    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) { etcd.bytesReceived(id, bytes) }
    func peerClosed(_ id: ConnectionID) { etcd.closed(id) }
    func connectionClosed(_ id: ConnectionID) { etcd.closed(id) }
    func turnEnded() { etcd.turnEnded() }

    func timerFired() {
        guard ticksLeft > 0 else { return stop() }
        ticksLeft -= 1
        etcd.ticked(at: log.clock.steady())
        if isWaiting { send() }
    }

    func signalReceived(_ signal: Int32) { finish(.failed("ended by signal \(signal)")) }
    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {}
    func clientNotAccepted(errno: Int32) {}
    func outputDrained(_ id: ConnectionID) {}
    func woken() {}
}
