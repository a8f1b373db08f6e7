package import StoryCore
import Synchronization

/// The daemon's trace: a line per happening on standard error, `time word name=value …`.
package struct Trace: Sendable {
    private let write: @Sendable ([UInt8]) -> Void
    private let now: @Sendable () -> Instant
    private let frequent = FrequentHappenings()
    private let queue: TraceQueue?

    /// Makes a trace.
    ///
    /// - Parameter write: writes a line; it must not block.
    package init(now: @escaping @Sendable () -> Instant, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.now = now
        self.write = write
        queue = nil
    }

    /// Makes a trace whose lines a queue writes.
    package init(now: @escaping @Sendable () -> Instant, to queue: TraceQueue) {
        self.now = now
        self.queue = queue
        write = { queue.add($0) }
    }

    /// Waits until the lines so far are written, for up to a second.
    package func flush() { queue?.flush() }

    /// Traces a happening with its members.
    ///
    /// Values are cut after 200 Unicode scalars. A character that controls a terminal, ends a line or changes the
    /// direction of the text is escaped, as `\u{1b}`.
    package func say(_ happening: String, _ members: KeyValuePairs<String, String> = [:]) {
        write(Trace.line(now(), happening, Array(members)))
    }

    /// Traces a happening that clients can cause at will: one line per second, with the count of those that it
    /// represents.
    package func sayEachSecond(_ happening: String, _ members: KeyValuePairs<String, String> = [:]) {
        if frequent.isDue(happening, Array(members)) { say(happening, members) }
    }

    /// True while lines have waited for seconds, for their reader or for a thread that writes them.
    package var isStuck: Bool { queue?.isStuck ?? false }

    /// Traces the happenings that were only counted in the last second.
    package func secondPassed() {
        for (happening, counted) in frequent.secondPassed() {
            write(Trace.line(now(), happening, counted.members + [("count", "\(counted.count)")]))
        }
        queue?.secondPassed()
    }

    static func line(_ time: Instant, _ happening: String, _ members: [(String, String)]) -> [UInt8] {
        var line = time.text + " " + happening
        for (name, value) in members { line += " \(name)=\(Trace.quoted(value))" }
        return Array(line.utf8) + [0x0A]
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        guard !isPlain || value.count > 200 else { return value }
        var text = "\""
        for scalar in value.unicodeScalars.prefix(200) {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            default: text += isSeen(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text + "\""
    }

    /// Returns false for characters that control a terminal and have no glyph.
    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

/// The rate limit of the trace: a happening is traced once a second at most, and repetitions are counted.
final class FrequentHappenings: Sendable {
    /// The number of suppressed repetitions of a happening, and the members of the last one.
    typealias Counted = (count: Int, members: [(String, String)])

    /// The happenings of the present second, by name; the names are the program's own, and few.
    private let seen = Mutex<[String: Counted]>([:])

    /// Returns true for the first happening of its name in a second, and counts the others.
    func isDue(_ happening: String, _ members: [(String, String)]) -> Bool {
        seen.withLock { seen in
            let counted = seen[happening]
            seen[happening] = (counted.map { $0.count + 1 } ?? 0, members)
            return counted == nil
        }
    }

    /// Begins a new second and returns the suppressed happenings of the last one; those are still suppressed in the new
    /// one.
    func secondPassed() -> [(happening: String, counted: Counted)] {
        seen.withLock { seen in
            let passedOver = seen.filter { $0.value.count > 0 }
            seen = passedOver.mapValues { (0, $0.members) }
            return passedOver.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }
}
