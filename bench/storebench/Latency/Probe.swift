import Foundation
import Glibc
import Synchronization

/// One client with one request at a time, on a thread of its own, so that it sees what a client sees.
///
/// What its thread writes is read only after the thread has ended, and the flags are atomic.
final class Probe: @unchecked Sendable {
    private let server: Service
    private let link: Link
    private let work: Work
    private var latencies = Histogram()
    private var over10ms = 0
    private var refused = 0
    /// For how long it recorded, and how much of that the daemon had no core, in nanoseconds.
    private var recorded: UInt64 = 0
    private var withoutCore: UInt64 = 0
    private let isRecording = Atomic(false)
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins to ask over a link of the server; nothing is recorded yet.
    ///
    /// - Parameters:
    ///   - server: the server.
    ///   - link: the client.
    ///   - work: the requests.
    ///   - pause: the time between a reply and the next request, in microseconds.
    init(_ server: Service, _ link: Link, _ work: Work = .get, pause: UInt32 = 0) {
        self.server = server
        self.link = link
        self.work = work
        Thread.detachNewThread { [self] in
            var number = 0
            while !isOver.load(ordering: .relaxed) {
                ask(number)
                number += 1
                if pause > 0 { usleep(pause) }
            }
            ended.signal()
        }
    }

    /// Records what is under way while `work` runs.
    @discardableResult
    func record<Result>(_ work: () throws(BenchError) -> Result) throws(BenchError) -> Result {
        let (began, waited) = (Clock.now(), server.nanosecondsWithoutCore)
        isRecording.store(true, ordering: .sequentiallyConsistent)
        defer {
            isRecording.store(false, ordering: .sequentiallyConsistent)
            recorded += Clock.now() - began
            withoutCore += server.nanosecondsWithoutCore - waited
        }
        return try work()
    }

    /// Ends it and returns what it waited for.
    func finish(_ situation: String, beside: String) throws(BenchError) -> Waits {
        Waits(
            situation, beside: beside, try finish(), over10ms: over10ms,
            withoutCore: Double(withoutCore) / Double(max(recorded, 1)))
    }

    /// Ends it and returns how long each answer took.
    func finish() throws(BenchError) -> Histogram {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        guard refused == 0 else { throw BenchError("\(refused) of a client's \(work.rawValue) were refused") }
        return latencies
    }

    /// How many seconds it recorded.
    var seconds: Double { Double(recorded) / 1e9 }

    private func ask(_ number: Int) {
        let wasRecording = isRecording.load(ordering: .relaxed)
        let began = Clock.now()
        link.add(began) { link.dialect.ask(work, number, &$0) }
        link.flush()
        while link.outstanding > 0 {
            var entry = pollfd(fd: link.descriptor, events: Int16(POLLIN | (link.hasOutput ? POLLOUT : 0)), revents: 0)
            poll(&entry, 1, 1_000)
            link.flush()
            refused +=
                link.receive(Clock.now()) { took in
                    guard wasRecording || isRecording.load(ordering: .relaxed) else { return }
                    latencies.record(took)
                    if took > 10_000_000 { over10ms += 1 }
                }.failures
        }
    }
}
