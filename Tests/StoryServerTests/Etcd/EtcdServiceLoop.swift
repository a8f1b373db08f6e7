import Foundation
import StoryCluster
import StoryCore
import StoryEtcd
import StoryReactor
@testable import StoryServer
import StoryStorage
import Synchronization
import TestSupport

/// `EtcdService` on a reactor of its own, whose thread runs what a test asks for.
final class EtcdServiceLoop: Sendable {
    /// A result that etcd's receiver got.
    enum Told: Equatable, Sendable {
        case answered(UInt64, OrderingAnswer)
        case watched(WatchID, OrderingWatchBatch)
        case ended(WatchID, OrderingWatchEnd)
    }

    typealias Job = @Sendable (EtcdService) -> Void

    /// The parts that the reactor's thread and the test both see.
    final class Shared: Sendable {
        let told: Mutex<[Told]> = Mutex([])
        let trace: Mutex<[String]> = Mutex([])
        let jobs: Mutex<[Job]> = Mutex([])
        let waker: Mutex<Waker?> = Mutex(nil)
        let stops = Mutex(false)
        let hasEnded = Mutex(false)
        /// True where the receiver was told something within a method of the port.
        let wasToldWithin = Mutex(false)
    }

    private let shared = Shared()

    /// Starts a loop whose service has members of etcd on loopback for its endpoints.
    ///
    /// - Parameter callTime: the deadline of a call, in seconds: a busy machine does not make an answer unknown.
    init(_ ports: [UInt16], user: EtcdUser? = nil, callTime: Int = 30) throws {
        let shared = shared
        let endpoints = ports.map { EtcdEndpoint(address: HostAndPort(host: "127.0.0.1", port: $0), isSecure: false) }
        let thread = Thread {
            if let reactor = try? Reactor() {
                let trace = Trace(now: Clock.system.now) { line in
                    shared.trace.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
                }
                let service = EtcdService(
                    endpoints, user: { user }, lease: 3 * callTime, callTime: callTime, transport: reactor, trace: trace
                )
                let owner = EtcdServiceOwner(reactor, service, shared)
                service.receiver = owner
                shared.waker.withLock { $0 = reactor.waker }
                reactor.run(owner)
            }
            shared.hasEnded.withLock { $0 = true }
        }
        thread.start()
        try until("the loop runs") { shared.waker.withLock { $0 != nil } || shared.hasEnded.withLock { $0 } }
    }

    /// Everything that the receiver was told.
    var told: [Told] { shared.told.withLock { $0 } }
    /// The lines of the trace.
    var trace: [String] { shared.trace.withLock { $0 } }
    /// True where the receiver was told something within a method of the port.
    var wasToldWithin: Bool { shared.wasToldWithin.withLock { $0 } }

    /// Has the loop's thread do something with etcd.
    func perform(_ job: @escaping Job) {
        shared.jobs.withLock { $0.append(job) }
        shared.waker.withLock { $0 }?.wake()
    }

    /// Makes a call.
    func call(_ id: UInt64, _ call: OrderingCall, endpoint: Int = 0) {
        perform { $0.call(CallID(id), call, endpoint: endpoint) }
    }

    /// Waits for the answer to a call.
    func answer(to id: UInt64) throws -> OrderingAnswer {
        var found: OrderingAnswer?
        try until("the answer to call \(id): \(trace.suffix(3))") {
            found = told.lazy.compactMap { if case .answered(id, let answer) = $0 { answer } else { nil } }.first
            return found != nil
        }
        return found ?? .unknown
    }

    /// Makes a call with the numbers from one on, until its outcome is known.
    func knownAnswer(from id: UInt64, _ call: OrderingCall, endpoint: Int = 0) throws -> (id: UInt64, OrderingAnswer) {
        var (id, answer) = (id, OrderingAnswer.unknown)
        try until("the outcome of a call is known: \(trace.suffix(3))") {
            self.call(id, call, endpoint: endpoint)
            answer = try self.answer(to: id)
            if answer == .unknown { id += 1 }
            return answer != .unknown
        }
        return (id, answer)
    }

    /// The keys of the changes of a watch so far.
    func keys(of watch: WatchID) -> [String] {
        told.flatMap { told in
            guard case .watched(watch, let batch) = told else { return [String]() }
            return batch.changes.map { change in
                switch change {
                case .put(let pair): pair.key
                case .deleted(let key, _): "-" + key
                }
            }
        }
    }

    /// Ends the loop.
    func stop() throws {
        shared.stops.withLock { $0 = true }
        shared.waker.withLock { $0 }?.wake()
        try until("the loop has ended") { shared.hasEnded.withLock { $0 } }
    }
}

/// The owner of the reactor: passes its events to etcd, as the daemon's loop does.
private final class EtcdServiceOwner: ReactorHandler, OrderingReceiver {
    private let reactor: Reactor
    private let service: EtcdService
    private let shared: EtcdServiceLoop.Shared
    private var isWithin = false

    init(_ reactor: Reactor, _ service: EtcdService, _ shared: EtcdServiceLoop.Shared) {
        (self.reactor, self.service, self.shared) = (reactor, service, shared)
    }

    private func within(_ body: () -> Void) {
        isWithin = true
        body()
        isWithin = false
    }

    private func note(_ told: EtcdServiceLoop.Told) {
        if isWithin { shared.wasToldWithin.withLock { $0 = true } }
        shared.told.withLock { $0.append(told) }
    }

    func answered(_ id: CallID, _ answer: OrderingAnswer) { note(.answered(id.number, answer)) }
    func watched(_ id: WatchID, _ batch: OrderingWatchBatch) { note(.watched(id, batch)) }
    func watchEnded(_ id: WatchID, _ end: OrderingWatchEnd) { note(.ended(id, end)) }

    func connectionMade(_ id: ConnectionID) { service.connected(id) }
    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        if service.owns(id) { service.bytesReceived(id, bytes) }
    }
    func peerClosed(_ id: ConnectionID) { if service.owns(id) { service.closed(id) } }
    func connectionClosed(_ id: ConnectionID) { if service.owns(id) { service.closed(id) } }
    func turnEnded() { service.turnEnded() }
    func timerFired() { within { service.ticked(at: Clock.system.steady()) } }

    func woken() {
        let jobs = shared.jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in jobs { within { job(service) } }
        guard shared.stops.withLock({ $0 }) else { return }
        service.end()
        reactor.stop()
    }

    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {}
    func clientNotAccepted(errno: Int32) {}
    func outputDrained(_ id: ConnectionID) {}
    func signalReceived(_ signal: Int32) {}
}

extension OrderingCall {
    /// Puts a value under a key that is absent; else gets the key.
    static func putIfAbsent(_ key: String, _ value: [UInt8] = [1], lease: Int64 = 0) -> OrderingCall {
        .transaction(
            OrderingTransaction(
                conditions: [.created(key, at: 0)], then: [.put(key, value, lease: lease)],
                otherwise: [.get(OrderingRange(from: key))]))
    }
}

extension OrderingAnswer {
    /// True for a transaction whose conditions held.
    var isDone: Bool { if case .transacted(true, _, _) = self { true } else { false } }
}
