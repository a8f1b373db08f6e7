import TestSupport

/// A store that runs begin with, each with a copy of it.
final class PreparedStore: Sendable {
    let data: String
    /// The last event that runs need not look at again.
    let base: UInt64
    private let place: Scratch

    /// - Parameter isLarge: whether its checkpoints can be of several pieces.
    init(isLarge: Bool) throws {
        place = try Scratch(in: Scratch.memory)
        data = place.place("data")
        let daemon = try RunningDaemon(data: data, options: ["--journal", "65536"])
        let client = try daemon.client()
        let message = String(repeating: "m", count: 1_850)
        let stories = isLarge ? (0..<Story.stories).map { Request.story("p\($0)", message: message) } : []
        let requests = ["x", "y"].map { Request.user($0) } + (isLarge ? [.user("a"), .user("b")] : []) + stories
        for reply in try client.asked(requests.map(\.line)) where !reply.hasPrefix("+") {
            throw TookTooLong(what: reply)
        }
        base = isLarge ? UInt64(requests.count) : 0
        guard try daemon.stop() == .code(0) else { throw TookTooLong(what: daemon.trace) }
    }
}
