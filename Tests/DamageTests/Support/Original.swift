import Foundation
import TestSupport

/// A store as a daemon left it, and everything that it answers.
final class Original {
    /// Requests whose answers say all that is stored.
    private(set) var questions: [String] = []
    private(set) var answers: [String: [String]] = [:]
    /// Writes that are sent to each image, and their receipts.
    private(set) var writes: [String] = []
    private(set) var receipts: [String] = []
    let daemon: RunningDaemon
    var data: String { daemon.data }

    /// - Parameters:
    ///   - isKilled: whether the daemon was killed: the newest events are in the journal alone then.
    ///   - isDeclaring: whether it has a declared model.
    init(events: Int, isKilled: Bool, isDeclaring: Bool = false, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        daemon = try RunningDaemon(options: ["--journal", "131072"])
        let client = try daemon.client()
        if isDeclaring {
            expect(try client.ask(DeclaredLoad.request).hasPrefix("+"))
            try DeclaredLoad.settle(client)
            questions = Original.declared
        }
        try Original.fill(client, events, &random)
        if isKilled {
            for number in 0..<40 {
                expect(
                    try client.ask(#"APPEND late-\#(number % 7) {"type":"T","data":{"n":\#(number)}}"#).hasPrefix("+"))
            }
            try daemon.kill()
        } else {
            expect(try daemon.stop() == .code(0))
        }
        try learn(try ImageFolder())
    }

    /// Questions about the declared model.
    private static let declared = [
        "LIST \(DeclaredLoad.name) limit=1000", "LIST \(DeclaredLoad.name) sort=seen order=asc",
        "LIST \(DeclaredLoad.name) last=u1", "COUNT \(DeclaredLoad.name)", "GET \(DeclaredLoad.name)/note/T",
    ]

    /// True for a question about the declared model, which is built again where its store is damaged.
    static func isOfDeclared(_ question: String) -> Bool { declared.contains(question) }

    private static func fill(_ client: LineSocket, _ events: Int, _ random: inout SplitMix64) throws {
        var stories = 0
        var lines: [String] = []
        for user in 0..<40 {
            lines.append(
                #"POST users key=u\#(user) {"id":"u\#(user)","name":"User \#(user)","email":"u\#(user)@example.org","prefecture":\#(1 + user % 47)}"#
            )
        }
        for number in 0..<events {
            let (one, two) = (Int.random(in: 0..<40, using: &random), Int.random(in: 0..<40, using: &random))
            let text = String(repeating: "m\(number) ", count: Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                lines.append(
                    #"POST stories key=s\#(stories) {"id":"s\#(stories)","title":"T \#(number)","message":"\#(text)","sender":"u\#(one)","recipient":"u\#(two)"}"#
                )
                stories += 1
            case 4 where stories > 0: lines.append(#"LIKE stories/s\#(one % stories) {"user":"u\#(two)"}"#)
            case 5:
                lines.append(
                    #"POST messages {"id":"m\#(number)","text":"\#(text)","sender":"u\#(one)","recipient":"u\#(two)"}"#)
            default:
                let event = #""type":"T","data":{"n":\#(number),"x":"\#(text)"}"#
                let tags = #""tags":["n:\#(number % 7)","u:\#(one)"]"#
                lines.append(#"APPEND note-\#(one) key=n\#(number) {\#(event),\#(tags)}"#)
            }
            if lines.count >= 50 || number == events - 1 {
                for line in lines { client.send(line) }
                for line in lines { expect(try client.line().hasPrefix("+"), "\(line)") }
                lines = []
            }
            if number % (events / 5) == 0 { expect(try client.ask("CHECKPOINT").hasPrefix("+")) }
        }
    }

    /// Asks a copy of the store.
    private func learn(_ folder: ImageFolder) throws {
        let run = try ImageRun(folder.image(of: data))
        guard let client = try run.client() else { throw TookTooLong(what: "the copy does not start: \(run.trace)") }
        let head = try require(try client.ask("PING").number("position"))
        questions += stride(from: UInt64(1), through: head, by: 250).map { "READ events from=\($0) limit=250" }
        let streams = try client.rows("STREAMS limit=1000").compactMap { $0.text("stream") }
        questions += ["STREAMS limit=1000"]
        for stream in streams {
            let parts = stream.split(separator: "-", maxSplits: 1)
            if ["user": "users", "story": "stories", "message": "messages"][parts[0]] == nil {
                questions.append("READ events/\(stream)")
            } else {
                let kind = parts[0] == "story" ? "stories" : parts[0] + "s"
                questions.append("GET \(kind)/\(parts[1])")
            }
        }
        for (kind, sorts) in [
            ("users", ["date", "name", "email"]), ("stories", ["date", "title", "likes"]), ("messages", ["date"]),
        ] {
            questions += sorts.map { "LIST \(kind) sort=\($0) limit=1000" } + ["COUNT \(kind)"]
        }
        for user in stride(from: 0, to: 40, by: 4) {
            questions += [
                "LIST stories sender=u\(user)", "LIST messages sender=u\(user)", "COUNT stories recipient=u\(user)",
            ]
        }
        questions.append("READ events/note-* limit=5000")
        questions += (0..<7).flatMap { ["READ events tags=n:\($0) limit=5000", "COUNT events tags=u:\($0),n:\($0)"] }
        for question in questions { answers[question] = try client.reply(to: question) }
        writes = [
            #"APPEND note-1 {"type":"T","data":{}}"#, #"APPEND other-1 key=new {"type":"T","data":{}}"#,
            #"POST users key=u3 {"id":"u3","name":"User 3","email":"u3@example.org","prefecture":4}"#,
        ]
        receipts = try writes.map { Original.withoutTime(try client.ask($0)) }
        expect(receipts[2].contains(#""repeated":true"#))
        expect(try run.stop() == .code(0))
    }

    /// A receipt up to the time of the write.
    static func withoutTime(_ line: String) -> String {
        guard let place = line.range(of: #""time":"#), !line.contains("repeated") else { return line }
        return String(line[..<place.lowerBound])
    }
}

extension LineSocket {
    /// All lines of the reply to a request.
    func reply(to request: String) throws -> [String] {
        send(request)
        return try nextReply()
    }

    /// All lines of the next reply.
    func nextReply() throws -> [String] {
        var lines: [String] = []
        while true {
            lines.append(try line())
            if lines.last?.hasPrefix("=") != true { return lines }
        }
    }
}

/// A daemon on an image, which may not start, or not survive.
final class ImageRun {
    private let folder: Scratch
    private let socket: String
    private let program: Program

    init(_ data: String) throws {
        folder = try Scratch()
        socket = folder.place("s")
        let trace = folder.place("trace")
        program = try Program(
            [try Program.path("stored"), "--data", data, "--socket", socket, "--journal", "131072"], output: trace,
            errors: trace)
    }

    var trace: String { Files.text(folder.place("trace")) }

    /// A connection; nil where the daemon ended instead.
    func client() throws -> LineSocket? {
        var greeted: LineSocket?
        try until("the daemon greets or ends: \(trace)") {
            if let client = try? LineSocket(socket), try client.nextLine() != nil { greeted = client }
            return greeted != nil || program.poll() != nil
        }
        return greeted
    }

    /// How it ended by itself.
    func wait() throws -> Exit { try program.wait() }

    func stop() throws -> Exit {
        program.send(SIGTERM)
        return try program.wait()
    }
}
