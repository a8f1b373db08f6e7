import FoundationEssentials

/// The position of a push in the log, and its content if it is a marker.
struct PushMark {
    private(set) var position: UInt64?
    private(set) var resume: UInt64?
    private(set) var end: String?
    /// True when the subscription ended because of damage.
    private(set) var isDamage = false
    /// The position where catch-up reached the live events.
    private(set) var caughtUp: UInt64?

    init(_ json: [UInt8]) {
        // Events are frequent and begin with their position; markers are few and are decoded completely.
        if let position = PushMark.leadingPosition(json) {
            self.position = position
            return
        }
        guard let decoded = try? JSONDecoder().decode(Decoded.self, from: Data(json)) else { return }
        (position, resume, end, caughtUp) = (decoded.position, decoded.resume, decoded.end, decoded.caughtUp)
        isDamage = decoded.damaged == true
    }

    /// The position after the last one that the push covers.
    var following: UInt64? { (position ?? caughtUp).map { $0 + 1 } }

    /// The members of a push.
    private struct Decoded: Decodable {
        let position: UInt64?
        let resume: UInt64?
        let end: String?
        let caughtUp: UInt64?
        let damaged: Bool?
    }

    private static func leadingPosition(_ json: [UInt8]) -> UInt64? {
        let opening = "{\"position\":".utf8
        guard json.starts(with: opening) else { return nil }
        var value: UInt64 = 0
        for byte in json[opening.count...] {
            guard (0x30...0x39).contains(byte), value < 1 << 53 else { return byte == 0x2C ? value : nil }
            value = value * 10 + UInt64(byte - 0x30)
        }
        return nil
    }
}
