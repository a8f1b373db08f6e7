import TestSupport

/// A request of a run, and what it is.
struct Request {
    /// What may be answered.
    enum Purpose {
        /// A write of so many events with this key.
        case write(key: String, count: Int)
        /// A question; it is answered as long as the daemon goes on.
        case question(kind: String?)
        /// Work that wants room or a healthy disk.
        case job
    }

    let line: String
    let purpose: Purpose

    static func ask(_ line: String, _ kind: String? = nil) -> Request {
        Request(line: line, purpose: .question(kind: kind))
    }
    static func job(_ line: String) -> Request { Request(line: line, purpose: .job) }

    /// A write; the key goes behind its verb and target.
    static func write(_ key: String, _ head: String, _ json: String, count: Int = 1) -> Request {
        Request(line: "\(head) key=\(key) \(json)", purpose: .write(key: key, count: count))
    }

    static func user(_ id: String) -> Request {
        .write(
            "u-\(id)", "POST users", #"{"id":"\#(id)","name":"\#(id)","email":"\#(id)@example.org","prefecture":13}"#)
    }

    static func story(_ id: String, message: String = "M") -> Request {
        .write(
            "s-\(id)", "POST stories",
            #"{"id":"\#(id)","title":"T","message":"\#(message)","sender":"a","recipient":"b"}"#)
    }

    /// So many events of so many bytes each.
    static func append(_ key: String, to stream: String, count: Int = 1, size: Int = 20) -> Request {
        let text = String(repeating: "x", count: size)
        let events = (0..<count).map { #"{"type":"Wrote","data":{"key":"\#(key)","n":\#($0),"text":"\#(text)"}}"# }
        return .write(
            key, "APPEND \(stream)", count == 1 ? events[0] : "[\(events.joined(separator: ","))]", count: count)
    }
}

/// One thing that a run does.
enum Step {
    /// The clients by their numbers send these at once, and hear the replies.
    case exchange([Int: [Request]])
    /// So many milliseconds go by.
    case rest(UInt32)
    /// SIGTERM, and a start.
    case restart
    /// SIGKILL, and a start.
    case kill
    /// The calls that fail are counted from here on.
    case arm
    /// All room of the file system is taken.
    case fill
}

/// What the runs play.
enum Story {
    /// How many clients there are: 0 and 1 write, 2 asks, 3 subscribes.
    static let clients = 4

    /// A store's life: created, written to in all ways, stored, copied, stopped, killed, recovered.
    ///
    /// - Parameter folder: where copies go.
    static func life(_ folder: String) -> [Step] { [.arm] + first(folder) + [.restart] + second + [.kill] + third }

    private static let subscriber: [Request] = [.ask("SUBSCRIBE events from=1"), .ask("SUBSCRIBE stories", "stories")]

    private static func first(_ folder: String) -> [Step] {
        [
            .exchange([0: [.user("a"), .user("b")], 2: [.job(DeclaredLoad.request)], 3: subscriber]),
            .exchange([
                0: [.story("1"), .story("2")], 1: [.append("n1", to: "note-1"), .append("n2", to: "note-1", count: 5)],
            ]),
            .exchange([
                0: [
                    .write("like", "LIKE stories/1", #"{"user":"b"}"#),
                    .write(
                        "m", "POST messages", #"{"id":"m","text":"Hello","sender":"a","recipient":"b","story":"1"}"#),
                ],
                1: [
                    .write(
                        "both", "APPEND *",
                        #"[{"stream":"note-1","type":"Moved","data":1},{"stream":"note-2","type":"Moved","data":2}]"#,
                        count: 2)
                ],
                2: questions,
            ]),
            // More than the journal's half, in one turn with something small.
            .exchange([
                0: [.append("small", to: "note-3")], 1: [.append("large", to: "note-2", count: 10, size: 4_000)],
            ]),
            .exchange([1: (1...12).map { .append("fill\($0)", to: "note-4", count: 2, size: 3_000) }, 2: questions]),
            .rest(30),
            .exchange([2: [.job("CHECKPOINT")], 3: [.ask("PING")]]),
            .exchange([2: [.job("LIST \(DeclaredLoad.name)"), .job("COUNT \(DeclaredLoad.name)")]]),
            .exchange([2: [.job(DeclaredLoad.indexedAnew)], 1: [.append("beside", to: "note-7")]]),
            .exchange([0: [.append("during", to: "note-5")], 2: [.job("VERIFY"), .job(#"BACKUP "\#(folder)/copy""#)]]),
            .exchange([2: questions, 3: [.ask("PING")]]),
        ]
    }

    private static let second: [Step] = [
        .exchange([
            0: [.write("edit", "EDIT stories/1", #"{"title":"Autumn"}"#), .story("3")], 3: subscriber, 2: questions,
        ]),
        .exchange([
            0: [.write("delete", "DELETE stories/2", "")], 1: [.append("n3", to: "note-1", count: 3, size: 900)],
        ]),
        .exchange([1: [.append("n4", to: "note-1", count: 2)], 2: questions]),
    ]

    private static let third: [Step] = [
        .exchange([1: [.append("n5", to: "note-1")], 3: subscriber]),
        .exchange([0: [.story("4")], 1: [.append("large2", to: "note-6", count: 8, size: 5_000)], 2: questions]),
        .exchange([1: [.append("n6", to: "note-1")], 2: questions, 3: [.ask("PING")]]),
    ]

    /// All of it on a file system that has no free block from some moment on.
    static func full(_ folder: String) -> [Step] {
        [
            .exchange([0: [.user("a"), .user("b")], 3: subscriber]), .exchange([2: [.job("CHECKPOINT")]]), .fill, .arm,
            .exchange([0: [.story("1")], 1: [.append("n1", to: "note-1")], 2: questions]),
            .exchange([2: [.job("VERIFY"), .job(#"BACKUP "\#(folder)/copy""#)], 3: [.ask("PING")]]),
            .exchange([1: (1...12).map { .append("fill\($0)", to: "note-4", count: 2, size: 3_000) }]), .rest(30),
            .exchange([2: [.job("CHECKPOINT")], 3: [.ask("PING")]]), .fill, .kill,
            .exchange([0: [.story("2")], 1: [.append("n2", to: "note-1")], 3: [.ask("PING")]]),
            .exchange([2: questions]), .restart,
            .exchange([1: [.append("n3", to: "note-1")], 3: [.ask("PING")]]), .exchange([2: questions]),
        ]
    }

    /// Commits of all kinds, and a flush.
    static let commits: [Step] = [
        .exchange([0: [.user("a"), .user("b")], 3: subscriber]), .arm,
        .exchange([0: [.story("1")], 2: questions]),
        .exchange([1: [.append("n1", to: "note-1")]]),
        .exchange([0: [.append("small", to: "note-3")], 1: [.append("large", to: "note-2", count: 10, size: 4_000)]]),
        .exchange([1: [.append("n2", to: "note-1")], 2: questions, 3: [.ask("PING")]]),
        .exchange([1: [.append("large2", to: "note-2", count: 10, size: 4_000)]]),
        .exchange([1: [.append("n3", to: "note-1")], 2: [.job("CHECKPOINT")], 3: [.ask("PING")]]),
    ]

    /// A start with stored models, those of the built-in kinds and a declared one.
    static let start: [Step] = [
        .exchange([0: [.user("a"), .user("b")], 2: [.job(DeclaredLoad.request)]]),
        .exchange([1: [.append("n1", to: "note-1", count: 5)], 2: [.job("CHECKPOINT")]]), .kill, .arm, .kill,
        .exchange([2: questions + [.job("LIST \(DeclaredLoad.name)")], 3: [.ask("PING")]]),
    ]

    /// What stands in the content that `erasure` erases, and nowhere else.
    static let secret = "Vanishes"

    /// Events are erased that are in the journal, in blocks, and in the rows of a declared model.
    static let erasure: [Step] = [
        .exchange([
            0: [.user("a"), .user("b")],
            2: [.job(#"DEFINE secrets "from secret; body: text; on Kept { body = data.body }""#)], 3: subscriber,
        ]),
        .exchange([1: (1...6).map { secret($0) } + [.append("n1", to: "note-1", size: 900)]]),
        .exchange([2: [.job("CHECKPOINT"), .job("FIND events words=\(secret)")]]), .rest(30),
        .exchange([0: [.story("1")], 1: (7...9).map { secret($0) }]), .arm,
        .exchange([2: [.job(#"ERASE events/secret-1 reason="tried""#)]]),
        .exchange([1: [.append("n2", to: "note-1", count: 3)], 2: questions, 3: [.ask("PING")]]),
        .restart,
        .exchange([1: [.append("n3", to: "note-1")], 2: [.job(#"ERASE events/secret-* reason="tried""#)]]),
        .exchange([1: [.append("n4", to: "note-1")], 2: [.job("VERIFY"), .ask("READ events/secret-1")]]),
    ]

    private static func secret(_ number: Int) -> Request {
        let name = "\(secret)-\(number)"
        let body = String(repeating: name + " ", count: number % 3 == 0 ? 200 : 2)
        let event = #"{"type":"Kept","meta":{"of":"\#(name)"},"data":{"body":"\#(body)"}}"#
        return .write("secret\(number)", "APPEND secret-\(number % 2)", event)
    }

    private static let questions: [Request] = [
        .ask("PING"), .ask("GET users/a", "users"), .ask("LIST stories limit=10", "stories"), .ask("COUNT users"),
        .ask("READ events order=desc limit=3"), .ask("READ events/note-1"), .ask("STREAMS limit=5"),
    ]

    /// How many stories a store has whose checkpoint is written in pieces.
    static let stories = 5_000

    /// A checkpoint of several pieces, on such a store, with writes and questions beside it.
    static let pieces: [Step] = [
        .exchange([
            1: (0..<3_600).map { number in
                .write("e\(number)", "EDIT stories/p\(number * 7_919 % stories)", #"{"title":"N\#(number)"}"#)
            }
        ]),
        .arm,
        .exchange([
            0: [.append("beside", to: "note-1")], 2: [.job("CHECKPOINT")],
            3: [.ask("GET stories/p1", "stories"), .ask("PING")],
        ]),
        .exchange([
            0: [.append("behind", to: "note-1", count: 3)], 2: [.ask("GET stories/p2", "stories"), .ask("PING")],
        ]),
        .restart,
        .exchange([0: [.append("last", to: "note-1")], 2: [.ask("GET stories/p1", "stories")]]),
    ]

    /// A life as chance has it.
    static func random(_ seed: UInt64, _ folder: String) -> [Step] {
        var random = SplitMix64(seed: seed)
        let (define, indexed) = (Request.job(DeclaredLoad.request), Request.job(DeclaredLoad.indexedAnew))
        var steps: [Step] = [.arm, .exchange([0: [.user("a"), .user("b")], 2: [define], 3: subscriber])]
        for step in 0..<14 {
            switch Int.random(in: 0..<15, using: &random) {
            case 0: steps.append(.rest(20))
            case 1: steps.append(.exchange([2: [.job("CHECKPOINT")], 1: [.append("c\(step)", to: "note-1")]]))
            case 2: steps.append(.exchange([2: [.job("VERIFY"), .job(#"BACKUP "\(folder)/copy\(step)""#)]]))
            case 3: steps += [.restart, .exchange([3: subscriber])]
            case 4: steps += [.kill, .exchange([3: subscriber])]
            case 5: steps.append(.exchange([2: questions, 3: [.ask("PING")]]))
            case 6:
                steps.append(
                    .exchange([2: [random.oneIn(2) ? define : indexed], 1: [.append("d\(step)", to: "note-1")]]))
            default:
                let appends = (0..<Int.random(in: 1...6, using: &random)).map { number in
                    let size = random.oneIn(6) ? 6_000 : Int.random(in: 10...1_200, using: &random)
                    return Request.append(
                        "r\(step).\(number)", to: "note-\(number)", count: Int.random(in: 1...7, using: &random),
                        size: size)
                }
                steps.append(.exchange([0: [.story("r\(step)")], 1: appends, 2: random.oneIn(2) ? questions : []]))
            }
        }
        return steps
    }
}
