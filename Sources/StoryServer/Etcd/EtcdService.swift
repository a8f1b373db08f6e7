package import StoryCluster
package import StoryEtcd
package import StoryNetwork
package import StoryReactor

/// The ordering service of a log in etcd: all calls and watches of a node, on one connection to an endpoint.
///
/// A call has a deadline, after which it is `.unknown`. An endpoint that failed comes after all others for some time, and
/// one that fails again without an answer is connected to after a growing delay. Time in which the loop did not run does
/// not count, so that a node that was paused does not give up answers that wait in its socket. Results are reported by the methods that the reactor's events reach, and by `turnEnded`.
package final class EtcdService: OrderingService {
    /// The longest time that counts between two ticks, in nanoseconds.
    private static let mostTick: UInt64 = 250_000_000
    private static let second: UInt64 = 1_000_000_000

    private struct Request {
        enum Purpose {
            case call(CallID)
            case watch(WatchID)
        }

        let purpose: Purpose
        let link: Int
        let began: UInt64
        /// The deadline; nil for a watch, and for a call whose answer is there.
        var deadline: UInt64?
    }

    package weak var receiver: (any OrderingReceiver)?
    /// The reason why an endpoint failed last.
    package private(set) var lastFailure: String?
    private let transport: any Transport
    private let trace: Trace
    private let links: [EtcdLink]
    /// The deadline of a call but a renewal, in nanoseconds.
    private let callTime: UInt64
    private let renewalTime: UInt64
    /// The requests by their numbers in the sessions: no two have the same.
    private var requests: [CallID: Request] = [:]
    private var watches: [WatchID: CallID] = [:]
    private var news = EtcdResultQueue()
    private var arePaused = false
    private var isEnded = false
    private var time: UInt64 = 0
    private var tickedAt: UInt64?
    private var checkedAt: UInt64 = 0
    /// The number of the last request.
    private var last: UInt64 = 0

    /// Creates a service; it connects when the first call or watch needs that.
    ///
    /// - Parameters:
    ///   - endpoints: the members of etcd, at least one.
    ///   - user: returns the user whom they are asked as, with the present password; nil where they want none.
    ///   - files: the certificates for endpoints with TLS; nil where there are none of these.
    ///   - lease: the seconds of the leader's lease, a third of which is the deadline of a renewal.
    ///   - callTime: the deadline of another call, in seconds.
    ///   - transport: the sockets of the loop.
    ///   - trace: the daemon's trace.
    package init(
        _ endpoints: [EtcdEndpoint], user: @escaping () -> EtcdUser?, files: TLSFiles? = nil, lease: Int,
        callTime: Int = 1,
        transport: any Transport, trace: Trace
    ) {
        precondition(!endpoints.isEmpty, "etcd without endpoints")
        (self.transport, self.trace) = (transport, trace)
        self.callTime = UInt64(callTime) * 1_000_000_000
        renewalTime = UInt64(max(lease, 1)) * 1_000_000_000 / 3
        links = endpoints.map { EtcdLink($0, user: user, files: files, transport) }
    }

    /// Creates the ordering service of a node.
    convenience init(_ settings: ClusterSettings, over reactor: Reactor, _ trace: Trace) {
        self.init(
            settings.endpoints, user: settings.currentUser, files: settings.files, lease: settings.lease,
            transport: reactor, trace: trace)
    }

    // MARK: OrderingService

    package func call(_ id: CallID, _ call: OrderingCall, endpoint: Int) {
        var limit = callTime
        if case .renewLease = call { limit = renewalTime }
        begin(.call(id), with: .call(call), at: endpoint, deadline: time + limit)
    }

    package func watch(_ id: WatchID, _ range: OrderingRange, from revision: Int64, endpoint: Int) {
        endWatch(id)
        let watch = OrderingWatch(range, revision: revision)
        watches[id] = begin(
            .watch(id), with: .watch(watch, isPaused: arePaused), at: endpoint, deadline: nil)
    }

    package func endWatch(_ id: WatchID) {
        guard let number = watches.removeValue(forKey: id), let request = requests.removeValue(forKey: number) else {
            return
        }
        links[request.link].endWatch(number)
        acceptResults(request.link)
        askForTurn()
    }

    package func pauseWatches() { setPaused(true) }

    package func resumeWatches() { setPaused(false) }

    package func ticked(at now: UInt64) {
        if let tickedAt, now > tickedAt { time += min(now - tickedAt, EtcdService.mostTick) }
        tickedAt = now
        let late = requests.filter { $0.value.deadline.map { $0 <= time } ?? false }
        for (id, request) in late.sorted(by: { $0.key.number < $1.key.number }) {
            let link = links[request.link]
            link.cancel(id)
            // Watches on a connection that brings nothing any more would wait for ever.
            if link.isSilent(since: request.began) { link.end("it does not answer") }
            acceptResults(request.link)
        }
        for index in links.indices {
            links[index].connectIfDue(at: time)
            acceptResults(index)
        }
        checkCertificates()
        askForTurn()
    }

    /// Checks the certificates of the endpoints, once a second.
    private func checkCertificates() {
        guard time >= checkedAt + EtcdService.second else { return }
        checkedAt = time
        for index in links.indices {
            links[index].secondPassed()
            acceptResults(index)
        }
    }

    package func end() {
        isEnded = true
        for link in links { link.close() }
        (requests, watches, news) = ([:], [:], EtcdResultQueue())
    }

    /// Begins a request at the first endpoint, from the wanted one on, that did not fail lately, or else can be connected
    /// to now; returns its number.
    @discardableResult
    private func begin(
        _ purpose: Request.Purpose, with request: EtcdLink.Request, at endpoint: Int, deadline: UInt64?
    ) -> CallID? {
        guard !isEnded else { return nil }
        let order = links.indices.map { (endpoint + $0) % links.count }
        let index =
            order.first { links[$0].isGood(at: time) } ?? order.first { links[$0].isDue(at: time) } ?? order[0]
        last += 1
        let id = CallID(last)
        requests[id] = Request(purpose: purpose, link: index, began: time, deadline: deadline)
        links[index].begin(id, request, at: time)
        acceptResults(index)
        askForTurn()
        return id
    }

    private func setPaused(_ arePaused: Bool) {
        guard arePaused != self.arePaused else { return }
        self.arePaused = arePaused
        for id in watches.values.sorted(by: { $0.number < $1.number }) {
            guard let request = requests[id] else { continue }
            links[request.link].setPaused(id, arePaused)
            acceptResults(request.link)
        }
        askForTurn()
    }

    // MARK: The reactor

    /// Returns true for the connection to an endpoint.
    package func owns(_ id: ConnectionID) -> Bool { links.contains { $0.owns(id) } }

    /// Notes that a connection is made (`ReactorHandler.connectionMade`).
    package func connected(_ id: ConnectionID) { withLink(id) { $0.connected(at: time) } }

    /// Takes bytes of an endpoint.
    package func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        withLink(id) { $0.received(bytes, at: time) }
    }

    /// Notes that an endpoint sends no more, or that its connection is gone or was not made.
    package func closed(_ id: ConnectionID) { withLink(id) { $0.closed() } }

    /// Reports the results that methods of the port have led to; called before the turn's commit.
    package func turnEnded() { tell() }

    private func withLink(_ id: ConnectionID, _ body: (EtcdLink) -> Void) {
        guard let index = links.firstIndex(where: { $0.owns(id) }) else { return }
        body(links[index])
        acceptResults(index)
        tell()
    }

    // MARK: Results

    /// Takes the results of a link, and notes how it is.
    private func acceptResults(_ index: Int) {
        let link = links[index]
        let found = link.takeNews()
        if let version = found.version {
            trace.say("engine-found", ["endpoint": link.endpoint.url, "version": version])
        }
        for result in found.results {
            if case .answered(let id, let answer) = result {
                requests[id]?.deadline = nil
                if answer == .unknown { link.yield(at: time) }
            }
            news.append(result)
        }
        if let reason = found.failure {
            link.failed(at: time)
            lastFailure = "\(link.endpoint.url): \(reason)"
            trace.sayEachSecond("engine-lost", ["endpoint": link.endpoint.url, "reason": reason])
        }
    }

    private func askForTurn() { if !isEnded, news.hasNext(arePaused: arePaused) { transport.requestTurn() } }

    /// Reports the results that are there now; those that the receiver's calls lead to wait for the next turn.
    private func tell() {
        guard let receiver else { return }
        var left = news.count
        while left > 0, let result = news.next(arePaused: arePaused) {
            left -= 1
            switch result {
            case .answered(let id, let answer):
                guard case .call(let call)? = requests.removeValue(forKey: id)?.purpose else { continue }
                receiver.answered(call, answer)
            case .watched(let id, let batch):
                guard case .watch(let watch)? = requests[id]?.purpose else { continue }
                receiver.watched(watch, batch)
            case .watchEnded(let id, let end):
                guard case .watch(let watch)? = requests.removeValue(forKey: id)?.purpose else { continue }
                watches[watch] = nil
                receiver.watchEnded(watch, end)
            case .connectionFailed: continue
            }
        }
        askForTurn()
    }
}
