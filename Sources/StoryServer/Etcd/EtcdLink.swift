import StoryCluster
import StoryCore
import StoryEtcd
import StoryNetwork
import StoryReactor

/// The connection to one endpoint of etcd, made when the first request needs it.
///
/// The first call of a connection asks for the version; other requests wait for its answer, so that none is sent to an
/// etcd that loses writes. A connection that fails ends all its requests, and the next request makes another one: at once
/// after the first failure, and after a growing delay until a request is answered.
final class EtcdLink {
    /// A request to the endpoint.
    enum Request {
        case call(OrderingCall)
        case watch(OrderingWatch, isPaused: Bool)
    }

    private enum State {
        case idle
        case connecting(ConnectionID)
        /// Waits for the answer to the call for the version.
        case checking(ConnectionID, EtcdSession)
        case ready(ConnectionID, EtcdSession)
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

    /// The number of the call for the version, which no request has.
    private static let status = CallID(0)

    let endpoint: EtcdEndpoint
    /// Returns the user with the present password; nil where etcd wants none.
    private let user: () -> EtcdUser?
    /// The certificates that are shown to an endpoint with TLS.
    private let files: TLSFiles?
    /// The TLS of the connection; nil without it, and before the connection is made.
    private var tls: OutboundTLS?
    private let transport: any Transport
    private var state = State.idle
    /// The requests that wait until the connection is ready, in their order.
    private var held: [(id: CallID, request: Request)] = []
    private var news = News()
    /// When bytes came last, or the connection was made, as etcd counts the time.
    private var receivedAt: UInt64 = 0
    /// Until when other endpoints come first.
    var failedUntil: UInt64 = 0
    /// The delay before the next connection.
    var delay = EndpointDelay()

    init(_ endpoint: EtcdEndpoint, user: @escaping () -> EtcdUser?, files: TLSFiles?, _ transport: any Transport) {
        (self.endpoint, self.user, self.files, self.transport) = (endpoint, user, files, transport)
    }

    /// The connection; nil while there is none.
    var connection: ConnectionID? {
        switch state {
        case .idle: nil
        case .connecting(let id), .checking(let id, _), .ready(let id, _): id
        }
    }

    private var session: EtcdSession? {
        switch state {
        case .idle, .connecting: nil
        case .checking(_, let session), .ready(_, let session): session
        }
    }

    // MARK: Requests

    /// Begins a request, or holds it until the connection is ready.
    func begin(_ id: CallID, _ request: Request, at time: UInt64) {
        switch state {
        case .ready(_, let session): send(id, request, on: session)
        case .connecting, .checking: held.append((id, request))
        case .idle:
            held.append((id, request))
            connectIfDue(at: time)
        }
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
    func isSilent(since time: UInt64) -> Bool { session != nil && receivedAt <= time }

    /// Returns the events since the last call.
    func takeNews() -> News {
        defer { news = News() }
        return news
    }

    // MARK: The connection

    /// Connects where requests wait for that, and the delay is over.
    func connectIfDue(at time: UInt64) {
        guard case .idle = state, !held.isEmpty, delay.end <= time else { return }
        do throws(ReactorError) {
            state = .connecting(try transport.connect(host: endpoint.address.host, port: endpoint.address.port))
        } catch {
            fail("\(error)")
        }
    }

    /// Asks for the version, on a connection that was just made; before that come certificates, where they are wanted.
    func connected(at time: UInt64) {
        guard case .connecting(let id) = state else { return }
        receivedAt = time
        guard endpoint.isSecure else { return check(id) }
        guard let files else { return fail("it wants TLS, and there is no certificate") }
        withTLS { () throws(TLSError) in
            tls = try OutboundTLS(files, host: endpoint.address.host, speaking: ["h2"], over: id, transport)
        }
    }

    /// Checks the certificate of the endpoint; called once a second.
    func secondPassed() {
        guard let tls else { return }
        withTLS { () throws(TLSError) in try tls.secondPassed() }
    }

    private func withTLS(_ body: () throws(TLSError) -> Void) {
        do throws(TLSError) { try body() } catch { fail("\(error)") }
    }

    private func check(_ id: ConnectionID) {
        let session = EtcdSession(
            EtcdPeer(authority: "\(endpoint.address)", isSecure: endpoint.isSecure, user: user()), user: user)
        state = .checking(id, session)
        session.call(EtcdLink.status, .status)
        exchange()
    }

    /// Ends the connection, and everything on it.
    func fail(_ reason: String) {
        let (session, waiting) = (session, held)
        close()
        news.failure = reason
        session?.peerClosed()
        for result in session?.takeResults() ?? [] { keep(result) }
        for (id, request) in waiting { news.results.append(request.result(id, answer: .unknown, end: .broken)) }
    }

    /// Closes the connection and forgets everything that waits.
    func close() {
        if let connection { transport.close(connection) }
        (state, tls, held) = (.idle, nil, [])
    }

    /// Takes etcd's answer to the call for its version.
    private func checked(_ answer: OrderingAnswer) {
        guard case .checking(let id, let session) = state else { return }
        switch answer {
        case .refused(.other(let reason)):
            let waiting = held
            held = []
            for (id, request) in waiting {
                news.results.append(
                    request.result(id, answer: .refused(.other(reason)), end: .refused(.other(reason))))
            }
            fail(reason)
        case .unknown, .full: fail("it does not say which version it is")
        case .status(let version, _): becomeReady(id, session: session, version: version)
        // A user who may not ask for the version gets an answer to the call itself.
        case .refused, .ranged, .transacted, .granted, .renewed, .revoked, .compacted:
            becomeReady(id, session: session, version: "unknown")
        }
    }

    private func becomeReady(_ id: ConnectionID, session: EtcdSession, version: String) {
        let waiting = held
        (state, held, news.version) = (.ready(id, session), [], version)
        for (id, request) in waiting { send(id, request, on: session) }
    }

    private func send(_ id: CallID, _ request: Request, on session: EtcdSession) {
        // The connection may have failed while the requests before were sent.
        guard session === self.session else {
            return news.results.append(request.result(id, answer: .unknown, end: .broken))
        }
        switch request {
        case .call(let call): session.call(id, call)
        case .watch(let watch, let isPaused):
            session.watch(id, watch)
            if isPaused { session.pauseWatch(id) }
        }
        exchange()
    }

    private func withSession(_ body: (EtcdSession) -> Void) {
        guard let session else { return }
        body(session)
        exchange()
    }

    // MARK: Bytes

    /// Takes bytes of the socket.
    func received(_ bytes: UnsafeRawBufferPointer, at time: UInt64) {
        receivedAt = time
        guard let tls else {
            session?.received(bytes)
            return exchange()
        }
        withTLS { () throws(TLSError) in
            try tls.received(bytes) { data in
                handshakeMayHaveEnded()
                session?.received(data)
            }
        }
        handshakeMayHaveEnded()
        exchange()
        if tls === self.tls, tls.isAtEnd { fail("it closed the connection") }
    }

    private func handshakeMayHaveEnded() {
        if case .connecting(let id) = state, tls?.isOpen == true { check(id) }
    }

    private func send(_ bytes: UnsafeRawBufferPointer, over connection: ConnectionID) {
        guard let tls else {
            transport.send(connection, bytes)
            return
        }
        withTLS { () throws(TLSError) in try tls.send(bytes) }
    }

    /// Sends the session's bytes to the socket, and takes its results.
    private func exchange() {
        guard let connection, let session else { return }
        let bytes = session.takeOutput()
        if !bytes.isEmpty { bytes.withUnsafeBytes { send($0, over: connection) } }
        var ended: EtcdFailure?
        for result in session.takeResults() {
            if case .connectionFailed(let reason) = result { ended = reason } else { keep(result) }
        }
        switch ended {
        case .closed?: fail("it closed the connection")
        case .protocolEnded(let reason)?: fail(reason)
        case nil: break
        }
    }

    private func keep(_ result: EtcdResult) {
        switch result {
        case .answered(let id, let answer):
            if id == EtcdLink.status, case .checking = state { return checked(answer) }
            if answer != .unknown { delay.answered() }
            news.results.append(result)
        case .watched:
            delay.answered()
            news.results.append(result)
        case .watchEnded: news.results.append(result)
        case .connectionFailed: break
        }
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
