/// What one client says and hears, in one server's language. The load generator is the same for all of them.
protocol Dialect: AnyObject {
    /// Whether the server speaks first, one line.
    static var isGreeted: Bool { get }
    /// Writes the request of a number.
    func ask(_ work: Work, _ number: Int, _ line: inout RequestText)
    /// Takes in what the server sent.
    func hear(_ bytes: UnsafeRawBufferPointer, _ heard: inout Heard)
}

/// What came in with some bytes.
struct Heard {
    /// Requests that are answered.
    var answers = 0
    /// Those of them that were refused.
    var failures = 0
    /// Events or rows that came, in answers or pushed.
    var events = 0
}

/// What a store holds already, so that requests ask for what is there.
struct Stored {
    var stories = 10_000
    var messages = 0
    var letters = 0
    /// Orders that were placed before anything is measured.
    var orders = 0
    /// Events of the measured kind, in `Content.streams` streams round-robin.
    var events = 0
    /// A position that the long story's history nearly reaches up to.
    var past = 0

    /// How many events each stream has.
    var eventsEach: Int { events / Content.streams }
    /// How many events a request for a page of one stream gets: 100, where the streams have as many.
    var page: Int { max(1, min(100, eventsEach)) }
}
