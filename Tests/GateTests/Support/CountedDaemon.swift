import Foundation
import TestSupport

/// A daemon that counts, and one client of it.
final class CountedDaemon {
    static let library = ProcessInfo.processInfo.environment["STORYKEEP_BIN"].map { "\($0)/libcounting.so" }
    static let isBuilt = library.map { FileManager.default.fileExists(atPath: $0) } ?? false

    let daemon: RunningDaemon
    let client: LineSocket
    private let counters: Counters
    private let place: Scratch

    init() throws {
        place = try Scratch()
        let path = place.place("counts")
        daemon = try RunningDaemon(environment: [
            "LD_PRELOAD=\(CountedDaemon.library ?? "")", "COUNTING_FILE=\(path)",
        ])
        client = try daemon.client()
        counters = try Counters(path)
        // No commit asks for a file's times; a start does, so that the library is seen to count that.
        guard counters.now()["fileTimes", default: 0] > 0 else {
            throw TookTooLong(what: "the library counts what asks for a file's times")
        }
    }

    /// Sends requests so many at a time: each batch in one piece, the next one when all its replies are there.
    func drive(_ lines: some Collection<String>, inFlight: Int) throws {
        var rest = lines[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(inFlight))
            rest = rest.dropFirst(inFlight)
            guard client.send(Array(batch.joined(separator: "\n").utf8 + [0x0A])) else { throw LineSocket.Closed() }
            for line in batch {
                let reply = try client.final()
                guard reply.hasPrefix("+") else { throw TookTooLong(what: "\(line) was answered \(reply)") }
            }
        }
    }

    /// What one unit of work costs: the median over rounds of so many units each, of each count.
    ///
    /// Rounds are short enough for what comes in large steps (a table that grows, a MiB of room made in the log) to fall
    /// into fewer than half of them, so the median is what every unit costs and hardly moves. The steps themselves are
    /// seen where there is one long round.
    func cost(of units: Int, rounds: Int = 9, _ round: (Int) throws -> Void) throws -> [String: Double] {
        var measured: [String: [Double]] = [:]
        for number in 0..<rounds {
            let before = counters.settled()
            try round(number)
            for (name, count) in counters.settled() {
                measured[name, default: []].append(Double(count - before[name, default: 0]) / Double(units))
            }
        }
        return measured.mapValues { $0.sorted()[rounds / 2] }
    }
}
