import StoryCluster
import StoryCore
import StoryEtcd
import StoryNetwork
import StoryReactor

/// The link to one endpoint of etcd, which connects when the first request needs that.
///
/// Requests wait until etcd has said which version it is. A connection that fails ends all its requests, and the next request makes another one: at once
/// after the first failure, and after a growing delay until a request is answered.
final class EtcdLink {
    /// A request to the endpoint.
    enum Request {
        case call(OrderingCall)
        case watch(OrderingWatch, isPaused: Bool)
    }

    /// The events of a link.
    struct News {
        /// The version of etcd, where the connection has become ready.
        var version: String?
        /// The results of requests, in their order.
        var results: [EtcdResult] = []
        /// The reason where the connection has failed.
        var failure: String?
    }

    /// How long an endpoint that failed comes last, in nanoseconds.
    private static let failedTime: UInt64 = 5_000_000_000
    /// The longest delay before the next connection, in ticks of 0.1 s, and the length of a tick in nanoseconds.
    private static let (longestDelay, tick): (UInt64, UInt64) = (8, 100_000_000)

    let endpoint: EtcdEndpoint
    private let link: OutboundLink<EtcdFraming>
    /// True once etcd has said on this connection which version it is.
    private var isReady = false
    /// The requests that wait until the connection is ready, in their order.
    private var held: [(id: CallID, request: Request)] = []
    private var news = News()
    /// When bytes came last, or the connection was made, as etcd counts the time.
    private var heardAt: UInt64 = 0
    /// Until when other endpoints come first.
    private var failedUntil: UInt64 = 0
    /// The delay before the next connection; none after the first failure.
    private var retry = RetryDelay(first: 0, most: EtcdLink.longestDelay)
    private var retryAt: UInt64 = 0

    init(_ endpoint: EtcdEndpoint, user: @escaping () -> EtcdUser?, files: TLSFiles?, _ transport: any Transport) {
        self.endpoint = endpoint
        link = OutboundLink(EtcdFraming(endpoint, user: user), files, transport)
    }

    private var session: EtcdSession? { link.framing.session }

    /// Returns true for the connection of this link.
    func owns(_ id: ConnectionID) -> Bool { id == link.id }

    /// Returns true where the endpoint did not fail lately.
    func isGood(at time: UInt64) -> Bool { failedUntil <= time }

    /// Returns true where a connection can be made now.
    func isDue(at time: UInt64) -> Bool { retryAt <= time }

    /// Has other endpoints come first for some time.
    func yield(at time: UInt64) { failedUntil = time + EtcdLink.failedTime }

    /// Begins the delay before the next connection, since this one has failed.
    func failed(at time: UInt64) {
        yield(at: time)
        retryAt = time + retry.failed() * EtcdLink.tick
    }

    // MARK: Requests

    /// Begins a request, or holds it until the connection is ready.
    func begin(_ id: CallID, _ request: Request, at time: UInt64) {
        guard isReady else {
            held.append((id, request))
            return connectIfDue(at: time)
        }
        send(id, request)
        settle()
    }

    /// Gives up a call: it is `.unknown` at once.
    func cancel(_ id: CallID) {
        if let index = held.firstIndex(where: { $0.id == id }) {
            held.remove(at: index)
            return news.results.append(.answered(id, .unknown))
        }
        withSession { $0.cancel(id) }
    }

    /// Ends a watch, which has no further result.
    func endWatch(_ id: CallID) {
        held.removeAll { $0.id == id }
        withSession { $0.endWatch(id) }
    }

    /// Takes no changes of a watch, or takes them again.
    func setPaused(_ id: CallID, _ isPaused: Bool) {
        if let index = held.firstIndex(where: { $0.id == id }), case .watch(let watch, _) = held[index].request {
            held[index].request = .watch(watch, isPaused: isPaused)
        }
        withSession { isPaused ? $0.pauseWatch(id) : $0.resumeWatch(id) }
    }

    /// True where nothing came on the connection since a time.
    func isSilent(since time: UInt64) -> Bool { session != nil && heardAt <= time }

    /// Returns the events since the last call.
    func takeNews() -> News {
        defer { news = News() }
        return news
    }

    private func send(_ id: CallID, _ request: Request) {
        switch request {
        case .call(let call): session?.call(id, call)
        case .watch(let watch, let isPaused):
            session?.watch(id, watch)
            if isPaused { session?.pauseWatch(id) }
        }
    }

    private func withSession(_ body: (EtcdSession) -> Void) {
        guard let session else { return }
        body(session)
        settle()
    }

    // MARK: The connection

    /// Connects where requests wait for that, and the delay is over.
    func connectIfDue(at time: UInt64) {
        guard link.id == nil, !held.isEmpty, isDue(at: time) else { return }
        link.connect(to: .host(endpoint.address, isSecure: endpoint.isSecure))
        settle()
    }

    /// Notes that the connection is made.
    func connected(at time: UInt64) {
        heardAt = time
        link.made()
        settle()
    }

    /// Takes bytes of the socket.
    func received(_ bytes: UnsafeRawBufferPointer, at time: UInt64) {
        heardAt = time
        link.received(bytes)
        settle()
    }

    /// Notes that the endpoint sends no more, or that the connection is gone or was not made.
    func closed() {
        link.closed()
        settle()
    }

    /// Checks the certificate of the endpoint; called once a second.
    func secondPassed() {
        link.secondPassed()
        settle()
    }

    /// Ends the connection, and everything on it.
    func end(_ reason: String) {
        link.end(reason)
        settle()
    }

    /// Closes the connection and forgets everything that waits.
    func close() {
        link.close()
        _ = link.framing.takeResults()
        (isReady, held) = (false, [])
    }

    // MARK: Results

    /// Sends the session's bytes, and takes its results and the end of the connection.
    private func settle() {
        takeResults()
        guard let end = link.takeEnd() else { return }
        isReady = false
        takeResults()
        for (id, request) in takeHeld() { news.results.append(request.result(id, answer: .unknown, end: .broken)) }
        news.failure = end.reason
    }

    /// Takes results until there are no more: requests that waited for one may be answered by the next ones.
    private func takeResults() {
        var results: [EtcdResult]
        repeat {
            link.flush()
            results = link.framing.takeResults()
            for result in results { keep(result) }
        } while !results.isEmpty
    }

    private func takeHeld() -> [(id: CallID, request: Request)] {
        defer { held = [] }
        return held
    }

    private func keep(_ result: EtcdResult) {
        switch result {
        case .answered(EtcdFraming.version, let answer): checked(answer)
        case .answered(_, let answer):
            if answer != .unknown { retry.reset() }
            news.results.append(result)
        case .watched:
            retry.reset()
            news.results.append(result)
        case .watchEnded: news.results.append(result)
        case .connectionFailed(.protocolEnded(let reason)): link.end(reason)
        case .connectionFailed(.closed): break
        }
    }

    /// Takes etcd's answer to the call for its version.
    private func checked(_ answer: OrderingAnswer) {
        switch answer {
        case .refused(.other(let reason)):
            for (id, request) in takeHeld() {
                news.results.append(
                    request.result(id, answer: .refused(.other(reason)), end: .refused(.other(reason))))
            }
            link.end(reason)
        case .unknown, .full: link.end("it does not say which version it is")
        case .status(let version, _): becomeReady(version)
        // A user who may not ask for the version gets an answer to the call itself.
        case .refused, .ranged, .transacted, .granted, .renewed, .revoked, .compacted: becomeReady("unknown")
        }
    }

    private func becomeReady(_ version: String) {
        (isReady, news.version, failedUntil) = (true, version, 0)
        for (id, request) in takeHeld() { send(id, request) }
    }
}

extension EtcdLink.Request {
    /// Returns the result of a request that was not sent.
    fileprivate func result(_ id: CallID, answer: OrderingAnswer, end: OrderingWatchEnd) -> EtcdResult {
        switch self {
        case .call: .answered(id, answer)
        case .watch: .watchEnded(id, end)
        }
    }
}
