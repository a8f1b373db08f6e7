import Foundation
import TestSupport
import Testing

/// The limits of one shape: `bench/thresholds/SHAPE.json`.
struct Threshold: Codable {
    struct Limit: Codable {
        var most: Double
        /// How far above what was measured `GATES=write` sets it, where that is not the usual.
        let slack: Double?
        /// Why it is what it is.
        let why: String
    }

    /// What the counts are counted for: an event, a request, a row.
    let per: String
    var counts: [String: Limit]

    /// What `GATES` asks for besides the check: `print` shows what was measured, `write` makes it the limit.
    private static let wish = ProcessInfo.processInfo.environment["GATES"] ?? ""

    private static func path(_ shape: String) -> String { Threshold.bench("thresholds/\(shape).json") }

    /// The path of a file of bench.
    static func bench(_ file: String) -> String {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        return "\(root)/bench/\(file)"
    }

    /// Expects what was measured to be within the limits of a shape.
    ///
    /// - Parameter isWritten: false where another test writes the limits, which this one has to keep.
    static func check(
        _ shape: String, _ measured: [String: Double], isWritten: Bool = true,
        at place: SourceLocation = #_sourceLocation
    ) throws {
        var threshold = try JSONDecoder().decode(Threshold.self, from: Data(Files.text(path(shape)).utf8))
        if wish == "write", isWritten {
            threshold.adopt(measured)
            try Files.write(threshold.text, to: path(shape))
        }
        if !wish.isEmpty { print(threshold.table(shape, measured), terminator: "") }
        for (name, limit) in threshold.counts.sorted(by: { $0.key < $1.key }) {
            guard let value = measured[name] else {
                Issue.record("\(path(shape)): there is no count \(name)", sourceLocation: place)
                continue
            }
            let most = limit.most * leeway(name, limit)
            expect(
                value <= most,
                """
                \(shape): \(short(value)) \(name) for each \(threshold.per); allowed are \(short(most)) \
                (\(limit.why)). Look for the cost, or raise the limit in bench/thresholds/\(shape).json and say why \
                in the same commit.
                """, sourceLocation: place)
            // Else a library that counts nothing would pass. On a slow disk commits are written beside the loop.
            let beside = measured["background\(name.prefix(1).uppercased())\(name.dropFirst())"] ?? 0
            expect(
                value + beside > 0 || limit.most < 1,
                "\(shape): no \(name) at all, where \(short(limit.most)) are allowed: are they still counted?",
                sourceLocation: place)
        }
    }

    /// By how much a limit may be passed in a run of all tests; `scripts/gates` holds every count to its limit.
    ///
    /// Less than one for each event is shared by the events of a turn, a commit or a flush, and how many those are depends
    /// on how busy the machine is. Ten times as much is still less than one for each event where somebody counts on that.
    private static func leeway(_ name: String, _ limit: Limit) -> Double {
        guard wish.isEmpty else { return 1 }
        if limit.most < 1 { return 10 }
        // A commit that a busy disk holds up is written beside the loop, which is woken when it has ended; and the longer
        // an event takes on a busy machine, the more ticks fall to it.
        if ["systemCalls", "clockReadings"].contains(name) { return 3 }
        return name.hasSuffix("Bytes") ? 1.5 : 1
    }

    /// How far above what was measured a limit is set. Nearly all counts come out the same in every run, on an idle
    /// machine and on a busy one; a limit that needs more room than this says so.
    private static func slack(_ name: String) -> Double {
        switch name {
        // The author's number and the socket's path are as long as they are.
        case "allocatedBytes", "writtenBytes": 1.05
        default: 1.02
        }
    }

    private mutating func adopt(_ measured: [String: Double]) {
        for (name, value) in measured {
            let slack = counts[name]?.slack ?? Threshold.slack(name)
            counts[name]?.most = Threshold.roundedUp(value * slack)
        }
    }

    /// To three digits, so that a limit can be read.
    private static func roundedUp(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        let unit = pow(10, floor(log10(value)) - 2)
        // Once more by way of the text, since a third of a unit has no end in binary.
        return Double(short((value / unit - 1e-6).rounded(.up) * unit)) ?? value
    }

    private static func short(_ value: Double) -> String {
        guard value < 100, value > 0 else { return String(Int(value.rounded())) }
        let text = String(format: "%.*f", max(2, 2 - Int(floor(log10(value)))), value)
        return String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed())
    }

    /// The file, a count a line.
    private var text: String {
        func quoted(_ text: String) -> String {
            "\"\(text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\""))\""
        }
        let lines = counts.sorted { $0.key < $1.key }.map { name, limit in
            let slack = limit.slack.map { "\"slack\": \(Threshold.short($0)), " } ?? ""
            let most = "\"most\": \(Threshold.short(limit.most))"
            return "    \(quoted(name)): {\(most), \(slack)\"why\": \(quoted(limit.why))}"
        }
        return "{\n  \"per\": \(quoted(per)),\n  \"counts\": {\n\(lines.joined(separator: ",\n"))\n  }\n}\n"
    }

    private func table(_ shape: String, _ measured: [String: Double]) -> String {
        func cell(_ text: String, _ width: Int) -> String {
            text.count < width ? String(repeating: " ", count: width - text.count) + text : text
        }
        var lines = ["| \(shape), for each \(per)"]
        for (name, value) in measured.sorted(by: { $0.key < $1.key }) where value > 0 || counts[name] != nil {
            let most = counts[name].map { Threshold.short($0.most) } ?? "-"
            let label = name + String(repeating: " ", count: max(0, 24 - name.count))
            lines.append("|   \(label) \(cell(Threshold.short(value), 10)) of \(cell(most, 8))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
