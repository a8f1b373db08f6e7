import Foundation
import Synchronization

/// A write that a writer sent, and what became of it.
package struct SentWrite: Sendable {
    package let key: String
    package let line: String
    /// How many events it appends.
    package let count: Int
    /// The position in its receipt; nil while it has none.
    package var position: UInt64?
}

/// A client that writes batches on a thread of its own until the daemon is gone, and notes what was acknowledged.
package final class Writer: Sendable {
    private struct State {
        var writes: [SentWrite] = []
        var error: String?
        var isEnded = false
    }

    private let state = Mutex(State())

    /// - Parameter name: what its streams and keys begin with; no other writer has it.
    package init(_ name: String, to socket: String, seed: UInt64) {
        let thread = Thread { [self] in
            do {
                try write(name, LineSocket(socket), SplitMix64(seed: seed))
            } catch is LineSocket.Closed {
            } catch let error as SystemRefused where error.call == "connect" {
            } catch {
                state.withLock { $0.error = "\(error)" }
            }
            state.withLock { $0.isEnded = true }
        }
        thread.start()
    }

    /// True once a write of it was acknowledged, and where it has ended.
    package var hasReceipt: Bool { state.withLock { $0.isEnded || $0.writes.contains { $0.position != nil } } }

    /// Waits until the daemon is gone; answers what was sent.
    package func join() throws -> [SentWrite] {
        try until("a writer ends") { state.withLock { $0.isEnded } }
        if let error = state.withLock({ $0.error }) { throw TookTooLong(what: "a writer's reply: \(error)") }
        return state.withLock { $0.writes }
    }

    private func write(_ name: String, _ socket: LineSocket, _ seed: SplitMix64) throws {
        var random = seed
        _ = try socket.line()
        var number = 0
        while true {
            let batch = (0..<Int.random(in: 1...50, using: &random)).map { _ in
                number += 1
                return Writer.write(name, number, &random)
            }
            let first = state.withLock { state in
                state.writes += batch
                return state.writes.count - batch.count
            }
            guard socket.send(Array(batch.map { $0.line + "\n" }.joined().utf8)) else { return }
            for index in first..<first + batch.count {
                guard let receipt = try acknowledgement(socket) else { return }
                state.withLock { $0.writes[index].position = receipt }
            }
        }
    }

    /// The position in the next receipt; nil when the daemon is leaving.
    private func acknowledgement(_ socket: LineSocket) throws -> UInt64? {
        while true {
            guard let line = try socket.nextLine(), line.text("code") != "draining" else { return nil }
            if line.hasPrefix("*") { continue }
            guard line.hasPrefix("+"), let position = line.number("position") else { throw TookTooLong(what: line) }
            return position
        }
    }

    private static func write(_ name: String, _ number: Int, _ random: inout SplitMix64) -> SentWrite {
        let key = "\(name).\(number)"
        if random.oneIn(10) {
            let form = #"{"id":"\#(key)","name":"\#(key)","email":"\#(key)@example.org","prefecture":13}"#
            return SentWrite(key: key, line: "POST users key=\(key) \(form)", count: 1)
        }
        let count = random.oneIn(5) ? Int.random(in: 2...5, using: &random) : 1
        let events = (0..<count).map { #"{"type":"Wrote","data":{"key":"\#(key)","n":\#($0)}}"# }
        let body = count == 1 ? events[0] : "[\(events.joined(separator: ","))]"
        return SentWrite(key: key, line: "APPEND \(name)-\(number % 3) key=\(key) \(body)", count: count)
    }
}
