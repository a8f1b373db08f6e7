import Foundation
import Synchronization
import TestSupport

/// A write of a run, kept outside of the nodes, and what its client heard of it.
struct NotedWrite: Sendable {
    let key: String
    /// The number of events that it appends.
    let count: Int
    let line: String
    /// The number of times that it was sent.
    var attempts = 0
    /// The position in its receipt.
    var position: UInt64?
    /// True where its only answer said that nothing was written, nor will be.
    var isDenied = false
}

/// The writes of all clients, and what was acknowledged by now.
final class Ledger: Sendable {
    private struct State {
        var writes: [NotedWrite] = []
        var highest: UInt64 = 0
        var acknowledged = 0
        var last = ContinuousClock.now
        var longest = Duration.zero
        var complaints: [String] = []
    }

    private let state = Mutex(State())

    /// The highest position that anybody has a receipt of.
    var highest: UInt64 { state.withLock { $0.highest } }
    /// The number of writes that were acknowledged.
    var acknowledged: Int { state.withLock { $0.acknowledged } }
    var complaints: [String] { state.withLock { $0.complaints } }

    /// The longest time without a receipt since it was asked for the last time.
    func takeLongestSilence() -> Duration {
        state.withLock { state in
            defer { state.longest = .zero }
            return max(state.longest, ContinuousClock.now - state.last)
        }
    }

    func complain(_ text: String) { state.withLock { $0.complaints.append(text) } }

    func note(_ write: NotedWrite) { state.withLock { $0.writes.append(write) } }

    func noteReceipt(_ position: UInt64) {
        state.withLock { state in
            state.highest = max(state.highest, position)
            state.acknowledged += 1
            let now = ContinuousClock.now
            state.longest = max(state.longest, now - state.last)
            state.last = now
        }
    }

    /// Holds all that was heard against the export of a node, and returns what is wrong.
    func complaints(_ export: String) -> [String] {
        var events: [String: [UInt64]] = [:]
        var position: UInt64 = 0
        for line in export.split(separator: "\n") {
            let line = String(line)
            position = line.number("position") ?? position
            if let key = line.text("key") { events[key, default: []].append(position) }
        }
        var found = complaints
        for write in state.withLock({ $0.writes }) {
            let positions = events.removeValue(forKey: write.key) ?? []
            if let receipt = write.position {
                if positions.count != write.count {
                    found.append("\(write.key), acknowledged: \(positions.count) events")
                }
                if !positions.contains(receipt) {
                    found.append("\(write.key) is not at \(receipt) but at \(positions)")
                }
            } else if write.isDenied {
                if !positions.isEmpty { found.append("\(write.key) was denied, and is at \(positions)") }
            } else if !positions.isEmpty, positions.count != write.count {
                found.append("\(write.key), of unknown outcome: \(positions.count) events of \(write.count)")
            }
        }
        for key in events.keys where key.hasPrefix("w") { found.append("\(key) was never sent") }
        return found + Ledger.workComplaints(export)
    }

    /// Holds the outputs of workers against their inputs: each event through the position of its cursor has one.
    private static func workComplaints(_ export: String) -> [String] {
        var inputs: [String: [UInt64]] = [:]
        var outputs: [String: [UInt64]] = [:]
        for line in export.split(separator: "\n").map(String.init) {
            guard let stream = line.text("stream"), let dash = stream.lastIndex(of: "-") else { continue }
            if let input = line.number("of"), stream.hasPrefix("out-of-") {
                outputs[String(stream.dropFirst("out-of-".count)), default: []].append(input)
            } else if let position = line.number("position") {
                inputs[String(stream[..<dash]), default: []].append(position)
            }
        }
        return outputs.compactMap { writer, outputs in
            let wanted = (inputs[writer] ?? []).filter { $0 <= outputs.last ?? 0 }
            return outputs == wanted ? nil : "of \(wanted.count) events of \(writer), \(outputs.count) outputs are made"
        }
    }
}
