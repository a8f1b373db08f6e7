import Foundation
import Glibc
import Synchronization

/// A client that behaves, beside others that do not: it says `PING` some hundred times a second, and notes how long
/// each answer took.
package final class Canary: Sendable {
    private struct State {
        var waits: [Duration] = []
        var failure: String?
        var mustStop = false
    }

    private let state = Mutex(State())
    private let thread: Mutex<Background?> = Mutex(nil)

    /// Connects and begins.
    package init(_ daemon: RunningDaemon) throws {
        let socket = SendableSocket(try daemon.client())
        let background = Background { [self] in run(socket.socket) }
        thread.withLock { $0 = background }
    }

    /// How many answers it got.
    package var served: Int { state.withLock { $0.waits.count } }

    /// Ends it; what its answers took.
    package func stop() throws -> Waits {
        state.withLock { $0.mustStop = true }
        try thread.withLock { $0 }?.join()
        let (waits, failure) = state.withLock { ($0.waits, $0.failure) }
        if let failure { throw TookTooLong(what: "the canary was not served: \(failure)") }
        return Waits(waits)
    }

    private func run(_ socket: LineSocket) {
        // It measures the daemon, not how long this process waits for a processor. Only root may do this.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -10)
        do {
            while !state.withLock({ $0.mustStop }) {
                let wait = try ContinuousClock().measure {
                    let answer = try socket.ask("PING")
                    guard answer.hasPrefix(#"+ {"position":"#) else { throw TookTooLong(what: answer) }
                }
                state.withLock { $0.waits.append(wait) }
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

/// How long each of many answers took.
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
