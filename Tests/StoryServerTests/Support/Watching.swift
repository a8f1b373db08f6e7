import Foundation
import LoopSupport
import StoryServer
import TestSupport

/// A suite with a client who writes and one who watches rows, in the shipped loop over memory.
protocol Watching {
    var bench: LoopBench { get }
}

extension Watching {
    /// There are three users, and both clients are connected.
    func begin() {
        bench.connected("writer", "watcher")
        for id in 1...3 { write(Watched.user(id)) }
    }

    func write(_ lines: String...) {
        for line in lines {
            let answer = bench.ask(line, from: "writer").last ?? ""
            expect(answer.hasPrefix("+"), "\(line): \(answer)")
        }
    }

    /// What the watcher was told since the last time, in short.
    func heard() -> [String] { bench.hear("watcher").map(Watched.short) }
}

/// Requests for watched content, and what watchers hear in short.
enum Watched {
    static func user(_ id: Int) -> String {
        #"POST users {"id":"\#(id)","name":"N","email":"u\#(id)@example.org","prefecture":\#(id)}"#
    }

    static func story(_ id: String, _ sender: Int, _ recipient: Int, _ text: String = "m") -> String {
        #"POST stories {"id":"\#(id)","title":"A","message":"\#(text)","sender":"\#(sender)","recipient":"\#(recipient)"}"#
    }

    static func message(_ id: String, _ sender: Int, _ recipient: Int) -> String {
        #"POST messages {"id":"\#(id)","text":"t","sender":"\#(sender)","recipient":"\#(recipient)"}"#
    }

    /// `5 row 1 v2`, `6 null`, `7 removed 1`, or a marker and its position.
    static func short(_ line: String) -> String {
        let position = line.number("position").map { "\($0) " } ?? ""
        if line.contains(#""row":null"#) { return position + "null" }
        if line.contains(#""row":{"#), let row = line.range(of: #""row":"#) {
            let row = String(line[row.upperBound...])
            return position + "row \(row.text("id") ?? "") v\(row.number("version") ?? 0)"
        }
        if let id = line.text("removed") { return position + "removed \(id)" }
        for marker in ["caughtUp", "behind", "again"] where line.contains("\"\(marker)\"") {
            return "\(marker) \(line.number(marker) ?? 0)"
        }
        return line.contains(#""subscription""#) ? "subscription \(line.number("position") ?? 0)" : line
    }
}
