import Foundation
import Glibc
import Synchronization

/// A client that behaves, beside others that do not: it says `PING` some hundred times a second, and notes how long the
/// daemon's loop worked until each answer. What else the machine did meanwhile does not count.
package final class Canary: Sendable {
    private struct State {
        var waits: [Duration] = []
        var failure: String?
        var mustStop = false
    }

    private let state = Mutex(State())
    private let pid: pid_t
    private let thread: Mutex<Background?> = Mutex(nil)

    /// Connects and begins.
    package init(_ daemon: RunningDaemon) throws {
        let socket = SendableSocket(try daemon.client())
        pid = daemon.pid
        let background = Background { [self] in run(socket.socket) }
        thread.withLock { $0 = background }
    }

    /// How many answers it got.
    package var served: Int { state.withLock { $0.waits.count } }

    /// Ends it; how long the loop worked for each of its answers, and for what came before.
    package func stop() throws -> Waits {
        state.withLock { $0.mustStop = true }
        try thread.withLock { $0 }?.join()
        let (waits, failure) = state.withLock { ($0.waits, $0.failure) }
        if let failure { throw TookTooLong(what: "the canary was not served: \(failure)") }
        return Waits(waits)
    }

    private func run(_ socket: LineSocket) {
        do {
            while !state.withLock({ $0.mustStop }) {
                let before = ProcessorTime(pid)
                let answer = try socket.ask("PING")
                guard answer.hasPrefix(#"+ {"position":"#) else { throw TookTooLong(what: answer) }
                let worked = ProcessorTime(pid).ran - before.ran
                state.withLock { $0.waits.append(worked) }
                usleep(2_000)
            }
        } catch {
            state.withLock { $0.failure = "\(error)" }
        }
    }

    /// A socket that is handed to the one thread that uses it.
    private struct SendableSocket: @unchecked Sendable {
        let socket: LineSocket
        init(_ socket: LineSocket) { self.socket = socket }
    }
}

/// How long the loop worked for each of many answers.
package struct Waits: CustomStringConvertible {
    private let sorted: [Duration]

    package init(_ waits: [Duration]) { sorted = waits.sorted() }

    package var count: Int { sorted.count }
    package var greatest: Duration { sorted.last ?? .zero }

    /// What this part of them did not exceed.
    package func percentile(_ part: Double) -> Duration {
        sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }

    package var description: String {
        "\(count) answers, p50 \(text(0.5)) p99 \(text(0.99)) max \(text(1)) ms"
    }

    private func text(_ part: Double) -> String {
        String(
            format: "%.2f",
            Double(percentile(part).components.attoseconds) / 1e15
                + Double(percentile(part).components.seconds) * 1_000)
    }
}
