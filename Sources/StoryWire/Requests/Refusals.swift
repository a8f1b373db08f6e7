import CSimdJSON
import StoryCore

/// The failures of the reader, each with one wording.
enum Refusals {
    /// The most bytes of a client's text that are echoed.
    static let maxEcho = 64
    /// The most names that a message lists.
    private static let maxList = 12

    /// Returns a syntax failure.
    ///
    /// - Parameter index: the byte of the line, from 0.
    static func syntax(_ message: String, at index: Int) -> Failure { Failure(.syntax, message, .column(index + 1)) }

    /// Returns the failure of an unknown name.
    ///
    /// - Parameter lack: the beginning of the message: `LIST has no option`.
    ///
    /// - Parameter usual: the choice that is meant, where that is known; else the nearest one is named.
    static func unknown(
        _ lack: String, _ name: UnsafeRawBufferPointer, among choices: [String], nearest usual: String? = nil
    ) -> Failure {
        let nearest = usual ?? NearestName.find(name, among: choices)
        let hint = nearest.map { "; did you mean \($0)?" } ?? list(choices)
        let name = echo(name)
        return Failure(.unknown, "\(lack) \"\(name)\"\(hint)", .name(name, nearest: nearest))
    }

    /// Returns the choices as text if they are few; otherwise a reference to HELP.
    private static func list(_ choices: [String]) -> String {
        switch choices.count {
        case 0: ""
        case 1...maxList: "; known: \(choices.joined(separator: ", "))"
        default: "; HELP lists them"
        }
    }

    /// Returns the failure of a name of no kind that the verb takes.
    static func kind(_ name: UnsafeRawBufferPointer, _ shape: RequestShape) -> Failure {
        let kinds = shape.kinds.map(\.name) + ([.counted, .found].contains(shape.target) ? ["events"] : [])
        guard name.first(0x2D) != nil, shape.takesFilters else {
            return unknown("\(shape.verb.name) takes no kind", name, among: kinds)
        }
        // The name looks like a stream, which another verb lists.
        let echoed = echo(name)
        let message = "\(shape.verb.name) takes no kind \"\(echoed)\"\(list(kinds)); STREAMS lists streams"
        return Failure(.unknown, message, .name(echoed, nearest: nil))
    }

    /// Returns the failure of a name that the verb's target does not begin with.
    static func target(_ name: UnsafeRawBufferPointer, _ names: [String], _ shape: RequestShape) -> Failure {
        unknown("\(shape.verb.name) takes \(shape.targetUsage), not", name, among: names)
    }

    static func invalid(_ errors: [FieldError]) -> Failure {
        let names = errors.prefix(8).map(\.field).joined(separator: ", ")
        let more = errors.count > 8 ? " and \(errors.count - 8) more" : ""
        let orMore = errors.count >= Failure.mostFields ? " or more" : ""
        let count = errors.count == 1 ? "1 field is" : "\(errors.count)\(orMore) fields are"
        return Failure(.invalid, "\(count) wrong: \(names)\(more)", .fields(errors))
    }

    /// Returns the client's text for a message, truncated.
    static func echo(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count > maxEcho else { return String(decoding: bytes, as: UTF8.self) }
        // A cut within a character would show as a replacement mark, so the cut moves back to the character's start.
        var end = maxEcho
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes.part(0..<end), as: UTF8.self) + "…"
    }

    /// Returns the failure of a JSON text that begins at `index` of the line, with the column of its first invalid
    /// byte.
    static func json(_ document: JSONDocument, _ text: UnsafeRawBufferPointer, at index: Int) -> Failure {
        switch document.result {
        case .too_deep:
            let limit = JSONScanner.maxDepth
            return Failure(.tooLarge, "the JSON has more than \(limit) levels inside one another", .limit(limit))
        case .too_many_members:
            let limit = JSONScanner.maxCount
            return Failure(.tooLarge, "a part of the JSON has more than \(limit) members", .limit(limit))
        case .duplicate_key:
            return syntax(
                "the JSON has the key \"\(echo(document.errorKey))\" twice in one object",
                at: index + document.errorOffset)
        case .number_does_not_fit:
            return syntax("a number of the JSON does not fit in 64 bits", at: index + document.errorOffset)
        case .no_memory:
            return Failure(.internal, "there is no memory for this line")
        case .ok, .empty, .not_json, .too_long:
            let stop = JSONStop.offset(in: text) ?? 0
            let message = stop == text.count ? "the JSON ends too early" : "no JSON begins here"
            return syntax(message, at: index + stop)
        }
    }
}
