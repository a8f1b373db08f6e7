package import StoryCore

/// A reader of the lines that a node gets from the node that leads, and the writer of its requests.
package final class PeerLineReader {
    /// The greatest number of bytes that a node puts before a write which it passes on.
    package static let passOnCount = 64
    private let json = JSONObjectReader()

    /// Creates a reader.
    package init() {}

    /// Returns the line of a request, with its LF.
    package static func line(of request: PeerRequest) -> [UInt8] {
        switch request {
        case .write(let number, let user, let text): Array("@\(number) AS \(user) ".utf8) + text + [0x0A]
        case .position(let number): Array("@\(number) PING\n".utf8)
        }
    }

    /// Reads a line without its LF, followed by `LineFramer.slack` readable bytes.
    package func read(_ line: UnsafeRawBufferPointer) -> PeerLine {
        guard let kind = line.first, let space = line.first(0x20), space > 0 else { return .malformed }
        let number = number(line.part(1..<space))
        // The JSON begins behind the space, and the text of a reply with it.
        let text = line.part(space..<line.count)
        if kind == 0x3D, let number { return .row(number, text: [UInt8](copying: text)) }
        let object = line.part((space + 1)..<line.count)
        let read = json.withObject(object, readable: object.count + LineFramer.slack) { members in
            let members = LineMembers(members)
            switch (kind, number) {
            case (0x2A, _): return members.notice
            case (0x2B, let number?): return .done(number, members.position("position"), text: [UInt8](copying: text))
            case (0x2D, let number?):
                return .failed(number, members.code, members.outcome, text: [UInt8](copying: text))
            case (0x2D, nil): return members.refusal
            default: return .other
            }
        }
        return read ?? .malformed
    }

    private func number(_ tag: UnsafeRawBufferPointer) -> UInt64? {
        guard tag.count > 1, tag[0] == 0x40, case .value(let number) = DecimalNumber(tag.part(1..<tag.count)) else {
            return nil
        }
        return number
    }
}

extension LineMembers {
    fileprivate var notice: PeerLine {
        if has("draining") { return .draining }
        guard has("server") else { return .refused("the connection was ended as idle") }
        guard let log = bytes("log").flatMap({ LogID($0) }) else { return .malformed }
        return .greeting(log)
    }

    fileprivate var refusal: PeerLine { .refused("\(text("code") ?? ""): \(text("message") ?? "")") }

    /// A code of a later version counts as a defect, which says nothing of what to do.
    fileprivate var code: ErrorCode { text("code").flatMap { ErrorCode(rawValue: $0) } ?? .internal }
    fileprivate var outcome: UnavailableOutcome? { text("outcome").flatMap { UnavailableOutcome(rawValue: $0) } }
}
