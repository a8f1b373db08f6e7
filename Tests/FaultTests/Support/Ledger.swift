import TestSupport

/// What clients of a daemon sent, and every line that they heard.
struct Ledger {
    /// What became of a write.
    enum Outcome: Equatable {
        case unknown
        case acknowledged(UInt64)
        case refused(String)
    }

    /// A write, known by its key.
    struct Write {
        let key: String
        let count: Int
        var outcome = Outcome.unknown
    }

    /// A line as it was heard.
    struct Heard {
        let text: String
        /// The connection, counted over all starts.
        let connection: Int
        /// The kind of content that rows in it are of, where they are rows.
        let kind: String?
    }

    var writes: [Write] = []
    var heard: [Heard] = []

    /// How many writes were acknowledged.
    var acknowledged: Int { writes.count { if case .acknowledged = $0.outcome { true } else { false } } }

    /// Holds all of it against what a daemon has now; answers what is wrong.
    ///
    /// - Parameter base: the last event that was there before.
    func complaints(_ socket: LineSocket, after base: UInt64 = 0) throws -> [String] {
        let log = try StoredLog(socket, after: base)
        return try log.complaints + writes.flatMap { complaints($0, log) } + lines(log, socket)
    }

    private func complaints(_ write: Write, _ log: StoredLog) -> [String] {
        let found = log.writes[write.key] ?? (count: 0, last: 0)
        switch write.outcome {
        case .acknowledged(let position):
            if found.count != write.count {
                return ["\(write.key) was acknowledged at \(position), and has \(found.count) of \(write.count) events"]
            }
            return found.last == position ? [] : ["\(write.key) lies at \(found.last), its receipt said \(position)"]
        case .refused(let line):
            return found.count == 0 ? [] : ["\(write.key) was refused, and is in the log: \(line)"]
        case .unknown:
            let isWhole = found.count == 0 || found.count == write.count
            return isWhole ? [] : ["\(write.key) is there by half: \(found.count) of \(write.count)"]
        }
    }

    private func lines(_ log: StoredLog, _ socket: LineSocket) throws -> [String] {
        var complaints: [String] = []
        var pushed: [Int: UInt64] = [:]
        var rows: Set<[String]> = []
        for line in heard {
            if let complaint = try log.complaint(line.text) { complaints.append(complaint) }
            if line.text.hasPrefix(">1 {\"position\""), let position = line.text.number("position") {
                if let last = pushed[line.connection], position != last + 1 {
                    complaints.append("after the push of \(last) came that of \(position)")
                }
                pushed[line.connection] = position
            }
            if let kind = line.kind, let row = Ledger.row(line.text) { rows.insert([kind, row]) }
        }
        return try complaints + Ledger.rows(Array(rows), socket)
    }

    /// The row in a line; nil where there is none.
    private static func row(_ line: String) -> String? {
        if let range = line.firstRange(of: "\"row\":{") { return "{" + line[range.upperBound...].dropLast() }
        guard line.hasPrefix("= {\"id\":") || line.hasPrefix("+ {\"id\":"), !line.contains("\"stream\":") else {
            return nil
        }
        return String(line.dropFirst(2))
    }

    /// Asks for each row as it was at its position.
    private static func rows(_ rows: [[String]], _ socket: LineSocket) throws -> [String] {
        let requests = rows.map { "GET \($0[0])/\($0[1].text("id") ?? "") at=\($0[1].number("position") ?? 0)" }
        let replies = try socket.asked(requests)
        return zip(rows, replies).compactMap { row, reply in
            reply == "+ " + row[1] ? nil : "this row was heard:\n\(row[1])\nand it is:\n\(reply)"
        }
    }
}

/// The events of a log, read over a connection.
private struct StoredLog {
    private(set) var writes: [String: (count: Int, last: UInt64)] = [:]
    private(set) var complaints: [String] = []
    private var events: [String] = []
    private let base: UInt64
    private let socket: LineSocket

    init(_ socket: LineSocket, after base: UInt64) throws {
        self.socket = socket
        self.base = base
        var versions: [String: UInt64] = [:]
        while true {
            let rows = try socket.rows("READ events from=\(head + 1) limit=10000")
            if rows.isEmpty { return }
            for row in rows { add(String(row.dropFirst(2)), &versions) }
        }
    }

    private var head: UInt64 { base + UInt64(events.count) }

    private mutating func add(_ event: String, _ versions: inout [String: UInt64]) {
        let (stream, version) = (event.text("stream") ?? "", event.number("version") ?? 0)
        if event.number("position") != head + 1 { complaints.append("a gap or a repetition: \(event.prefix(120))") }
        if version != versions[stream].map({ $0 + 1 }) ?? (base == 0 ? 1 : version) {
            complaints.append("a gap in a stream: \(event.prefix(120))")
        }
        versions[stream] = version
        events.append(event)
        guard let key = event.text("key") else { return }
        writes[key] = (count: (writes[key]?.count ?? 0) + 1, last: head)
    }

    /// The event at a position; nil where there is none.
    private func event(at position: UInt64) throws -> String? {
        guard position > 0, position <= head else { return nil }
        if position > base { return events[Int(position - base - 1)] }
        return try socket.rows("READ events from=\(position) limit=1").first.map { String($0.dropFirst(2)) }
    }

    /// What is wrong with a line that was heard; nil where it tells of what is there.
    func complaint(_ line: String) throws -> String? {
        if let caughtUp = line.number("caughtUp"), caughtUp > head { return "beyond the log's end at \(head): \(line)" }
        if let resume = line.number("resume"), resume > head + 1 { return "beyond the log's end at \(head): \(line)" }
        guard let position = line.number("position"), !line.hasPrefix("-") else { return nil }
        if position > head { return "beyond the log's end at \(head): \(line)" }
        guard let stream = line.text("stream"), let event = try event(at: position) else { return nil }
        if line.text("type") != nil {
            let heard = line.drop { $0 != "{" }
            // What was heard before its content was erased has more than what is kept.
            if let kept = event.firstRange(of: #","erased":"#), heard.hasPrefix(event[..<kept.lowerBound]) {
                return nil
            }
            return heard == event ? nil : "this event was heard:\n\(heard)\nand it is:\n\(event)"
        }
        let isSame =
            event.text("stream") == stream && event.number("version") == line.number("version")
            && (line.text("time") == nil || line.text("time") == event.text("time"))
        return isSame || line.contains("\"changed\":false") ? nil : "\(line)\nnames another event:\n\(event)"
    }
}

extension LineSocket {
    /// The closing lines of the replies to several requests, which are sent at once.
    func asked(_ requests: [String]) throws -> [String] {
        guard !requests.isEmpty else { return [] }
        let sending = sendBeside(Array(requests.map { $0 + "\n" }.joined().utf8))
        let replies = try requests.map { _ in try final() }
        try sending.join()
        return replies
    }
}
