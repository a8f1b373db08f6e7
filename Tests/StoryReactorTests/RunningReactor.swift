import Foundation
import Glibc
import StoryReactor
import Synchronization
import TestSupport

/// What a test's reactor does with what it is told; each default is to do nothing.
struct Behaviour: Sendable {
    var opened: @Sendable (Reactor, ConnectionID) -> Void = { _, _ in }
    var made: @Sendable (Reactor, ConnectionID) -> Void = { _, _ in }
    var received: @Sendable (Reactor, ConnectionID, [UInt8]) -> Void = { _, _, _ in }
    var ended: @Sendable (Reactor, ConnectionID) -> Void = { reactor, id in reactor.finish(id, lingers: true) }
    var drained: @Sendable (Reactor, ConnectionID) -> Void = { _, _ in }

    /// Sends back what comes.
    static let echo = Behaviour(received: { reactor, id, bytes in reactor.send(id, bytes) })
}

extension Reactor {
    @discardableResult
    func send(_ id: ConnectionID, _ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { send(id, $0) } }
}

/// A reactor on a thread and in a directory of its own.
final class RunningReactor: Sendable {
    let path: String
    let waker: Waker
    private let directory: String
    private let shared: Shared

    /// What the reactor's thread and the test both see.
    final class Shared: Sendable {
        let told: Mutex<[String]> = Mutex([])
        let jobs: Mutex<[@Sendable (Reactor) -> Void]> = Mutex([])
        let waker: Mutex<Result<Waker, ReactorError>?> = Mutex(nil)
        let hasEnded = Mutex(false)
    }

    /// Starts it.
    ///
    /// - Parameter isStopped: whether it is stopped before it listens and runs.
    init(_ behaviour: Behaviour = .echo, at wish: String? = nil, isStopped: Bool = false) throws {
        let directory = try makeDirectory()
        let path = wish ?? directory + "/s"
        let shared = Shared()
        let thread = Thread {
            do throws(ReactorError) {
                let reactor = try Reactor()
                if isStopped { reactor.stop() }
                try reactor.listen(at: path)
                shared.waker.withLock { $0 = .success(reactor.waker) }
                reactor.run(Recorder(reactor, behaviour, shared))
            } catch {
                shared.waker.withLock { $0 = .failure(error) }
            }
            shared.hasEnded.withLock { $0 = true }
        }
        thread.start()
        try until("the reactor is made") { shared.waker.withLock { $0 != nil } }
        waker = try shared.waker.withLock { try $0?.get() } ?? Waker.none()
        (self.path, self.directory, self.shared) = (path, directory, shared)
    }

    /// What the handler was told so far, connections by their order.
    var told: [String] { shared.told.withLock { $0 } }

    /// Runs the body on the reactor's thread, soon.
    func perform(_ body: @escaping @Sendable (Reactor) -> Void) {
        shared.jobs.withLock { $0.append(body) }
        waker.wake()
    }

    /// Stops it and waits until `run` has returned.
    func stop() throws {
        perform { $0.stop() }
        try until("run returned") { shared.hasEnded.withLock { $0 } }
        try FileManager.default.removeItem(atPath: directory)
    }
}

/// Notes what it is told and behaves as it was asked to.
private final class Recorder: ReactorHandler {
    private let reactor: Reactor
    private let behaviour: Behaviour
    private let shared: RunningReactor.Shared
    private var names: [ConnectionID: Int] = [:]

    init(_ reactor: Reactor, _ behaviour: Behaviour, _ shared: RunningReactor.Shared) {
        (self.reactor, self.behaviour, self.shared) = (reactor, behaviour, shared)
    }

    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {
        names[id] = names.count + 1
        note("opened", id, peer.uid == geteuid() && peer.pid == getpid() ? " by us" : " by \(peer)")
        behaviour.opened(reactor, id)
    }

    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        behaviour.received(reactor, id, Array(bytes))
    }

    func peerClosed(_ id: ConnectionID) {
        note("ended", id)
        behaviour.ended(reactor, id)
    }

    func connectionMade(_ id: ConnectionID) {
        names[id] = names.count + 1
        note("made", id)
        behaviour.made(reactor, id)
    }

    func connectionClosed(_ id: ConnectionID) {
        note("closed", id, reactor.connectFailure(id).map { ": " + $0 } ?? "")
    }

    func outputDrained(_ id: ConnectionID) {
        note("drained", id)
        behaviour.drained(reactor, id)
    }

    func clientNotAccepted(errno: Int32) {}
    func turnEnded() {}
    func signalReceived(_ signal: Int32) {}
    func timerFired() {}

    func woken() {
        let jobs = shared.jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in jobs { job(reactor) }
    }

    private func note(_ what: String, _ id: ConnectionID, _ more: String = "") {
        let line = "\(what) \(names[id] ?? 0)\(more)"
        shared.told.withLock { $0.append(line) }
    }
}

func makeDirectory() throws -> String {
    var template = Array("/tmp/reactor-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemRefused(call: "mkdtemp", code: errno) }
    return String(cString: made)
}

extension Waker {
    /// For the case that cannot be: a reactor that neither came up nor failed.
    static func none() throws -> Waker { throw TookTooLong(what: "a waker") }
}
