/// What one client says and hears, in one server's language. The load generator is the same for all of them.
protocol Dialect: AnyObject {
    /// Whether the server speaks first, one line.
    static var isGreeted: Bool { get }
    /// Writes the request of a number.
    func ask(_ work: Work, _ number: Int, _ line: inout [UInt8])
    /// Takes in what the server sent.
    func hear(_ bytes: UnsafeRawBufferPointer, _ heard: inout Heard)
}

/// What came in with some bytes.
struct Heard {
    /// Requests that are answered.
    var answers = 0
    /// Those of them that were refused.
    var failures = 0
    /// Events that came, in answers or pushed.
    var events = 0
}

/// What is asked for, request by request.
enum Work: String, CaseIterable {
    case ping, append, users, post, get, read
    /// A fixed set of domain events: half stories, a quarter likes, a fifth messages, the rest users (made first).
    case domain
    /// Every event from the first one, and those that come later: one request, then pushes or pages.
    case follow
    /// The same from now on.
    case live
}

/// The content that is the same in every language.
enum Content {
    static let filler = [UInt8](repeating: 0x78, count: 150)
    static let streams = 1_000
    static let users = 1_000
    /// How many stories `get` chooses among, and how many have to be there.
    static let stories = 10_000

    static func event(_ number: Int, _ line: inout [UInt8]) {
        line += "{\"type\":\"Measured\",\"data\":{\"n\":\(number),\"text\":\"".utf8
        line += filler
        line += "\"}}".utf8
    }

    /// Titles in no order, so that their index is written all over.
    static func title(_ number: Int) -> Int { number &* 2_654_435_761 % 1_000_003 }
    static func sender(_ number: Int) -> Int { number % users }
    static func recipient(_ number: Int) -> Int { number &* 7 % users }
    static func wantedStory(_ number: Int) -> Int { number &* 48_271 % stories }
    static func wantedStream(_ number: Int) -> Int { number &* 48_271 % streams }
}
