import TestSupport

/// The lines that clients were sent, and when the first byte of each may have left.
struct SentLines {
    struct Line {
        let clock: UInt64
        let text: String

        /// The position that it names; nil where it names none.
        var position: UInt64? { text.number("position") ?? text.number("caughtUp") }
    }

    private struct Place: Hashable {
        let process: Int32
        let fd: Int32
    }

    /// In the order of their clocks.
    let lines: [Line]
    /// The highest position in any line so far, for each line.
    private let highest: [UInt64]

    init(_ calls: [RecordedCall]) {
        var waiting: [Place: (clock: UInt64, bytes: [UInt8])] = [:]
        var lines: [Line] = []
        for call in calls {
            let place = Place(process: call.process, fd: call.fd)
            if call.kind == .accepts { waiting[place] = nil }
            guard call.kind == .sends, call.hasEffect else { continue }
            var rest = call.bytes[..<(call.end == nil ? call.bytes.count : call.result)]
            while !rest.isEmpty {
                let part = rest.prefix { $0 != 0x0A }
                let (clock, before) = waiting[place] ?? (call.begin, [])
                let bytes = before + part
                rest = rest[part.endIndex...]
                if rest.popFirst() == nil {
                    waiting[place] = (clock, bytes)
                } else {
                    waiting[place] = nil
                    lines.append(Line(clock: clock, text: String(decoding: bytes, as: UTF8.self)))
                }
            }
        }
        self.lines = lines.sorted { $0.clock < $1.clock }
        var most: UInt64 = 0
        highest = self.lines.map { line in
            most = max(most, line.position ?? 0)
            return most
        }
    }

    /// How many lines may have left at a moment.
    func count(before clock: UInt64) -> Int {
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = (low + high) / 2
            if lines[middle].clock < clock { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The highest position that anybody may know of at a moment.
    func required(before clock: UInt64) -> UInt64 {
        let count = count(before: clock)
        return count == 0 ? 0 : highest[count - 1]
    }

    /// The first line that begins so; nil where none does.
    func first(_ beginning: String) -> Line? { lines.first { $0.text.hasPrefix(beginning) } }
}
