import Foundation
import Glibc
import Synchronization

/// Does many runs, some at a time, and gathers what is found wrong.
final class Runs: Sendable {
    private struct State {
        var next = 0
        var done = 0
        var complaints: [String] = []
        var starts: [Duration] = []
        var tallies: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// Runs `body` with the numbers below a count on two threads; after ten runs with complaints no more are begun.
    init(_ count: Int, _ body: @escaping @Sendable (Int, Runs) throws -> Void) {
        let threads = (0..<2).map { _ in
            let ended = DispatchSemaphore(value: 0)
            Thread { [self] in
                work(count, body)
                ended.signal()
            }.start()
            return ended
        }
        for ended in threads { ended.wait() }
    }

    private func work(_ count: Int, _ body: (Int, Runs) throws -> Void) {
        while let number = take(count) {
            do { try body(number, self) } catch { complain("run \(number): \(error)") }
            let done = state.withLock { state in
                state.done += 1
                return state.done
            }
            if done % 250 == 0 {
                print("… \(done) of \(count) runs")
                fflush(nil)
            }
        }
    }

    private func take(_ count: Int) -> Int? {
        state.withLock { state in
            guard state.next < count, state.complaints.count < 10 else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    func complain(_ text: String) {
        print(text)
        fflush(nil)
        state.withLock { $0.complaints.append(text) }
    }

    func started(_ times: [Duration]) { state.withLock { $0.starts += times } }

    /// Counts one more of something.
    func tally(_ name: String) { state.withLock { $0.tallies[name, default: 0] += 1 } }

    var done: Int { state.withLock { $0.done } }
    var complaints: [String] { state.withLock { $0.complaints } }

    func count(_ name: String) -> Int { state.withLock { $0.tallies[name, default: 0] } }

    /// How many of each thing there were, and how long starts took.
    var figures: String {
        state.withLock { state in
            let starts = state.starts.sorted()
            let tallies = state.tallies.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            let median = starts.isEmpty ? .zero : starts[starts.count / 2]
            return "\(state.done) runs (\(tallies.joined(separator: ", "))), \(starts.count) starts, "
                + "median \(median) of a processor, longest \(starts.last ?? .zero)"
        }
    }
}
