import FoundationEssentials

/// What a push says about its place in the log, and whether it is a marker.
struct PushMark {
    private(set) var position: UInt64?
    private(set) var resume: UInt64?
    private(set) var end: String?
    /// True at an end that damage brought about.
    private(set) var isDamage = false
    /// Where catch-up met live.
    private(set) var caughtUp: UInt64?

    init(_ json: [UInt8]) {
        // Events come by the hundred thousand and begin with their position; markers are few and are decoded whole.
        if let position = PushMark.leadingPosition(json) {
            self.position = position
            return
        }
        guard let decoded = try? JSONDecoder().decode(Decoded.self, from: Data(json)) else { return }
        (position, resume, end, caughtUp) = (decoded.position, decoded.resume, decoded.end, decoded.caughtUp)
        isDamage = decoded.damaged == true
    }

    /// The position right after what the push covers.
    var following: UInt64? { (position ?? caughtUp).map { $0 + 1 } }

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
