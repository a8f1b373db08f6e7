import FuzzTargets
import TestSupport

/// A maker of request lines out of a seed: good ones, damaged ones, and bytes that were never meant to be one.
struct LineMaker {
    private var random: SplitMix64
    private let words = AllTargets.words
    /// How many lines that may be no requests came one after another.
    private var untidy = 2
    /// Lines that are requests, most of which a store answers.
    private static let requests: [String] = [
        "PING", "HELP", "HELP APPEND", "STATS", "METRICS", "CLIENTS", "CLIENTS 3",
        "SORTS users",
        "GET users/u1", "GET stories/s1", "GET users/u1 at=3", "LIST stories limit=3",
        "LIST users prefecture=1 sort=email limit=2",
        "COUNT stories", "COUNT users prefecture=1", "READ events limit=5", "READ events from=3 types=A,B limit=2",
        "READ events tags=a,b order=desc", "COUNT events/note-* tags=a", "SUBSCRIBE events/note-1 tags=a from=1",
        "READ events/note-1 order=desc limit=2", "READ events/note-* limit=3", "READ events to=9 limit=2",
        "STREAMS note-* limit=3",
        "SUBSCRIBE events from=1 types=Never", "SUBSCRIBE stories sender=u1", "SUBSCRIBE users/u1", "UNSUBSCRIBE 1",
        #"POST users {"id":"u1","name":"N","email":"u1@x.org","prefecture":1}"#,
        #"POST stories key=k1 {"id":"s1","title":"T","message":"M","sender":"u1","recipient":"u1"}"#,
        #"POST messages {"sender":"u1","recipient":"u1","text":"M"}"#, "LIKE stories/s1 {\"user\":\"u1\"}",
        #"EDIT users/u1 version=1 {"name":"O"}"#, "DELETE stories/s1", "SEE messages/m1",
        #"APPEND note-1 {"type":"A","data":1}"#, #"APPEND note-2 key=a1 version=0 {"type":"B","data":{},"tags":["a"]}"#,
        #"APPEND note-3 [{"type":"A","data":[1,2]},{"type":"B","data":"x","meta":{"m":1}}]"#,
        #"APPEND * [{"stream":"note-4","type":"A","data":1},{"stream":"note-5","type":"A","data":1}]"#,
    ]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The next line is the first one of a connection.
    mutating func beginConnection() { untidy = 2 }

    /// The next line, or what a client sends for one, with its end.
    ///
    /// A connection ends with the third syntax error in a row, and with one in its first line.
    mutating func next() -> [UInt8] {
        guard untidy < 2 else {
            untidy = 0
            return request() + [0x0A]
        }
        untidy += 1
        return any()
    }

    private mutating func any() -> [UInt8] {
        switch Int.random(in: 0..<2_000, using: &random) {
        case 0: return [UInt8](repeating: 0x5B, count: below(100_000)) + [0x0A]
        case 1: return Array("APPEND note-9 {\"type\":\"L\",\"data\":\"".utf8) + long() + Array("\"}\n".utf8)
        case 2: return Array("QUIT\n".utf8)
        case 3: return long() + long() + long() + [0x0A]
        // They take longer the more there is in the store.
        case 4: return Array(random.pick("VERIFY\n", "CHECKPOINT\n").utf8)
        case 5..<600:
            untidy = 0
            return request() + [0x0A]
        case 600..<1_700:
            var line = request()
            for _ in 0...below(3) { damage(&line) }
            return line + [0x0A]
        case 1_700..<1_900:
            return (0..<1 + below(12)).flatMap { _ in random.oneIn(3) ? [0x20] : word() } + [0x0A]
        default: return (0..<below(60)).map { _ in UInt8.random(in: 0x0B...255, using: &random) } + [0x0A]
        }
    }

    private mutating func request() -> [UInt8] {
        var line = Array((LineMaker.requests.randomElement(using: &random) ?? "PING").utf8)
        // The names of different things, so that not all is a repetition.
        for index in line.indices where (0x31...0x39).contains(line[index]) && random.oneIn(6) {
            line[index] = UInt8.random(in: 0x30...0x39, using: &random)
        }
        return random.oneIn(4) ? Array("@\(below(1_000)) ".utf8) + line : line
    }

    private mutating func damage(_ line: inout [UInt8]) {
        let start = below(line.count + 1)
        let end = min(line.count, start + below(random.pick(2, 8, 40)))
        switch below(6) {
        case 0: if start < line.count { line[start] = UInt8.random(in: 0...255, using: &random) }
        case 1: line.removeSubrange(start..<end)
        case 2: line.insert(contentsOf: Array(line[start..<end]), at: start)
        case 3: line.replaceSubrange(start..<end, with: word())
        case 4: line.insert(contentsOf: word(), at: start)
        default: line.replaceSubrange(start..., with: request().suffix(below(40)))
        }
    }

    private mutating func long() -> [UInt8] {
        [UInt8](repeating: random.pick(0x78, 0x20, 0x5C, 0xE5, 0x22), count: below(random.pick(5_000, 70_000, 400_000)))
    }

    private mutating func word() -> [UInt8] { words.randomElement(using: &random) ?? [] }
    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &random) }
}
