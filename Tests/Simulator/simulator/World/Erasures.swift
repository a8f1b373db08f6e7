import Glibc
import StoryCore
import TestSupport

/// An erasure of users' own events, as the one who asks for it thinks of it.
struct EraseAsked {
    let scope: EventScope
    /// The last position that it may take.
    let last: Int

    /// - Parameter number: that of the request, which its reason tells.
    func text(_ number: Int) -> String { "ERASE \(scope.text) to=\(last) reason=r\(number)" }
}

extension Draw {
    /// The beginning of a text that only the data of the events of a request have, and rows that are made of them.
    static func canary(of number: Int) -> String { "erase-me-r\(number)-" }

    /// An erasure of some of the users' own events; no further number is drawn.
    ///
    /// - Parameter told: the last position that somebody was told of.
    func erasure(_ number: Int, through told: Int) -> EraseAsked {
        let scope: EventScope =
            switch number % 4 {
            case 0: EventScope(category: "note")
            case 1: EventScope(category: "log")
            default: EventScope(tags: Draw.tags(number))
            }
        return EraseAsked(scope: scope, last: number % 3 == 0 ? told : max(1, told - 3))
    }
}

// The events whose content is erased.
extension World {
    /// The category of the events of erasures.
    static let erasures = "erasure"

    /// The line that is sent of a record.
    static func line(of record: EventRecord) -> String {
        let text = String(decoding: record.json, as: UTF8.self)
        return record.erased.map { "\(text),\"erased\":\($0.value)}" } ?? text
    }

    /// Notes the positions that an event names which erases others; the first such event counts.
    static func add(orderOf logged: Logged, to erasers: inout [Int: Int]) {
        guard logged.isOrder else { return }
        let eraser = Int(logged.event.position.value)
        for position in logged.erased { erasers[position] = erasers[position] ?? eraser }
    }

    /// True where nobody reads the content of an event any more once the log ends at a position.
    func isErased(_ position: Int, at end: Int) -> Bool { erasers[position].map { $0 <= end } ?? false }

    /// True for the line of an event that rests on a position: later erasures may show.
    func isLine(_ line: String, of logged: Logged, at end: Int) -> Bool {
        let position = Int(logged.event.position.value)
        guard let eraser = erasers[position] else { return line == logged.text }
        return line == logged.erased(by: eraser) || eraser > end && line == logged.text
    }

    /// Passes a record to `body` as it is once the log ends at a position.
    func withRecord<Result>(_ position: Int, at end: Int, _ body: (EventRecord) throws -> Result) rethrows -> Result {
        let event = events[position - 1].event
        guard let eraser = erasers[position], eraser <= end else { return try event.withRecord(body) }
        return try event.withErasedRecord(by: Position(UInt64(eraser)), body)
    }

    /// The events that an erasure would take once the log ends at a position, and whether others are erased already.
    func taken(by asked: EraseAsked, at end: Int) -> (positions: [Int], isGone: Bool) {
        let found = events[..<min(asked.last, end)].indices.filter { index in
            let logged = events[index]
            return asked.scope.has(logged) && ["note-", "log-"].contains { logged.stream.hasPrefix($0) }
        }.map { $0 + 1 }
        let left = found.filter { !isErased($0, at: end) }
        return (left, found.count > left.count)
    }

    /// Texts that no file may have once an erasure has ended: what stood in requests of which all events are erased.
    func vanished(at end: Int) -> [String] {
        var requests: [Int: Bool] = [:]
        for (index, logged) in events[..<end].enumerated() where logged.request > 0 {
            requests[logged.request] = (requests[logged.request] ?? true) && isErased(index + 1, at: end)
        }
        return requests.filter(\.value).flatMap { [#""meta":{"r":\#($0.key)}"#, Draw.canary(of: $0.key)] }
    }
}

extension World.Logged {
    /// True for an event that erases others.
    var isOrder: Bool { stream.hasPrefix("\(World.erasures)-") && event.body.type.description == "Erased" }

    /// The positions that it names.
    var erased: [Int] {
        guard let start = text.firstRange(of: #""positions":["#)?.upperBound else { return [] }
        let numbers = text[start...].prefix { $0 != "}" }.split { !$0.isNumber }.compactMap { Int($0) }
        return stride(from: 0, to: numbers.count - 1, by: 2).flatMap { Array(numbers[$0]...numbers[$0 + 1]) }
    }

    /// Its line once its content is erased.
    func erased(by eraser: Int) -> String {
        let ends = [#","meta":"#, #","data":"#].compactMap { text.firstRange(of: $0)?.lowerBound }
        guard let end = ends.min() else { return text }
        return "\(text[..<end]),\"erased\":\(eraser)}"
    }
}

// What becomes of requests that erase.
extension Answers {
    /// An event of an erasure is one that somebody asked for, and takes what that was to take.
    func checkErasureEvent(_ logged: World.Logged) throws {
        let position = Int(logged.event.position.value)
        guard logged.isOrder else {
            let order = world.events[..<(position - 1)].contains { $0.isOrder && $0.stream == logged.stream }
            guard order else { throw Difference("nothing was erased before \(logged.text)") }
            return
        }
        let number = logged.text.text("reason").flatMap { Int($0.dropFirst()) } ?? 0
        guard number > 0, number <= all.count, case .erase(let asked) = all[number - 1].asked else {
            throw Difference("nobody asked for \(logged.text)")
        }
        let sent = all[number - 1]
        if case .refused(let code) = sent.status {
            throw Difference("\(sent.line) was refused as \(code), and is there")
        }
        let wanted = world.taken(by: asked, at: position - 1).positions
        guard logged.erased == wanted else { throw Difference("\(sent.line) takes \(wanted): \(logged.text)") }
        ordered[position] = calls()
    }

    /// An erasure has ended: nothing is left of its events.
    func erased(_ asked: EraseAsked, _ sent: Sent, _ json: String) throws {
        let end = Int(json.number("position") ?? 0)
        let stream = json.text("stream") ?? ""
        guard end > 0, end <= world.committed, world.events[end - 1].stream == stream,
            let order = world.events[..<end].first(where: { $0.isOrder && $0.stream == stream }),
            json.number("events") == UInt64(order.erased.count)
        else { throw Difference("\(sent.line) has the receipt \(json)") }
        let position = Int(order.event.position.value)
        for text in world.vanished(at: position) {
            guard let file = isInFiles(text, ordered[position] ?? .max) else { continue }
            throw Difference("\(sent.line) is answered, and \(text) is in \(file)")
        }
    }

    /// An erasure was refused.
    func eraseRefused(_ asked: EraseAsked, _ sent: Sent, _ json: String) throws {
        let code = json.text("code") ?? ""
        guard !["busy", "notLeader"].contains(code) else { return }
        try expect(sent, json) { moment in
            let (positions, isGone) = world.taken(by: asked, at: moment.position)
            return positions.isEmpty && code == (isGone ? "gone" : "notFound")
        }
    }
}

extension [UInt8] {
    /// Returns true where a text is somewhere in these bytes; a search by the standard library takes seconds for zeros.
    func has(_ text: [UInt8]) -> Bool {
        guard let first = text.first, count >= text.count else { return false }
        return withUnsafeBytes { bytes in
            guard var start = bytes.baseAddress else { return false }
            let end = start + count - text.count + 1
            while start < end, let found = memchr(start, Int32(first), end - start) {
                if memcmp(found, text, text.count) == 0 { return true }
                start = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }
}
