import Foundation
import StoryOffline
import TestSupport
import Testing

/// The scene `absence`: pages of the models change under a daemon that has used them. What it acknowledges is what a fold of
/// the log gives.
@Suite(.serialized) struct ChangedPagesTests {
    private static let (users, streams, keys) = (400, 500, 1_500)
    private static let pageSize = 4_096
    /// A declared model of the streams.
    private static let declared =
        "DEFINE noted \"from note; key event.id; n: number = 0; last: number; index last, n; sort n; "
        + "on T { n += 1; last = event.version }\""

    @Test func `no write rests on a page that changed after its use`() throws {
        let original = try Self.original()
        let folder = try ImageFolder()
        var outcomes: [String: Int] = [:]
        for number in 0..<max(imageCount / 5, 1) {
            var random = SplitMix64(seed: UInt64(number))
            let image = try folder.image(of: original.data)
            let outcome = try Self.attempt(image, "image \(number)", &random)
            outcomes[outcome, default: 0] += 1
        }
        print("changed pages: \(outcomes.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", "))")
    }

    private static func user(_ number: Int, id: String? = nil) -> String {
        let id = id ?? #""id":"u\#(number)","#
        return #"POST users {\#(id)"name":"User","email":"u\#(number)@example.org","prefecture":\#(1 + number % 47)}"#
    }

    private static func keyed(_ number: Int) -> String {
        #"APPEND note-\#(number % streams) key=k\#(number) {"type":"T","data":{"n":\#(number)}}"#
    }

    private static func original() throws -> RunningDaemon {
        let daemon = try RunningDaemon(options: ["--journal", "131072"])
        let client = try daemon.client()
        expect(try client.ask(declared).hasPrefix("+"))
        try DeclaredLoad.settle(client)
        let lines = (0..<users).map { user($0) } + (0..<keys).map(keyed)
        for start in stride(from: 0, to: lines.count, by: 50) {
            let some = lines[start..<min(start + 50, lines.count)]
            for line in some { client.send(line) }
            for line in some { expect(try client.line().hasPrefix("+"), "\(line)") }
        }
        expect(try daemon.stop() == .code(0))
        return daemon
    }

    private static func attempt(_ image: String, _ name: String, _ random: inout SplitMix64) throws -> String {
        let run = try ImageRun(image)
        guard let client = try run.client() else {
            Issue.record("\(name) does not start: \(run.trace)")
            return "not started"
        }
        try use(client)
        let file = ["models", "own/noted.1"].randomElement(using: &random) ?? "models"
        // A checkpoint may be the first to meet it, where LMDB trusts every number.
        let isLate = Bool.random(using: &random)
        if isLate { try write(client, name, &random) }
        let changes = change("\(image)/\(file)/data.mdb", &random)
        let name = "\(name), \(file), late \(isLate), \(changes)"
        do {
            if !isLate { try write(client, name, &random) }
            var verdict: [String] = []
            try until("\(name): the models are whole: \(verdict), \(run.trace)") {
                verdict = [try client.ask("CHECKPOINT"), try client.ask("VERIFY")]
                return verdict.allSatisfy { $0.hasPrefix("+") }
            }
            // A model that is being built again is none of those that are verified, and its folder may be the damaged one.
            try DeclaredLoad.settle(client)
        } catch is LineSocket.Closed {
            Issue.record("\(name) ended with \(try run.wait()): \(run.trace)")
            return "ended"
        }
        client.hangUp()
        expect(try run.stop() == .code(0), "\(name): \(run.trace)")
        let report = try DirectoryBench.replay(image)
        expect(report.isAlike, "\(name): \(report.models.compactMap(\.difference))")
        if run.trace.contains("model-damaged") { return "built again" }
        return run.trace.contains("rebuilt position") ? "rebuilt" : "right"
    }

    /// Has each page used that the writes need.
    private static func use(_ client: LineSocket) throws {
        let lines =
            (0..<users).map { user($0) } + (0..<keys).map(keyed)
            + (0..<streams).map { #"APPEND note-\#($0) version=99 {"type":"T","data":1}"# }
        for start in stride(from: 0, to: lines.count, by: 50) {
            let some = lines[start..<min(start + 50, lines.count)]
            for line in some { client.send(line) }
            for line in some {
                let answer = try client.line()
                expect(
                    answer.contains("repeated") || ["exists", "conflict"].contains(answer.text("code") ?? ""),
                    "\(line): \(answer)")
            }
        }
        for question in ["limit=1000", "sort=n limit=1000", "last=3 limit=1000"] {
            expect(try client.reply(to: "LIST noted \(question)").last?.hasPrefix("+") == true)
        }
    }

    /// Replaces three pages by others of their kind, flips 20 bits, sets the headers of all pages, or flips a bit of the first
    /// pages, in the file as it is.
    private static func change(_ path: String, _ random: inout SplitMix64) -> String {
        let bytes = RawFile.read(path)
        let pages = Array(2..<bytes.count / pageSize)
        func flip(_ place: Int) {
            RawFile.patch(path, at: place, bytes[place] ^ 1 << UInt8.random(in: 0..<8, using: &random))
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: return replace(bytes, path, &random)
        case 2:
            let places = (0..<20).map { _ in Int.random(in: 2 * pageSize..<bytes.count, using: &random) }
            for place in places { flip(place) }
            return "bits at \(places)"
        case 3:
            for page in pages {
                for offset in 12..<32 {
                    RawFile.patch(path, at: page * pageSize + offset, UInt8.random(in: 0...255, using: &random))
                }
            }
            return "headers"
        default:
            // The magic number, the records of two trees, the last page and the transaction.
            let place = Int.random(in: 0...1, using: &random) * pageSize + Int.random(in: 16..<152, using: &random)
            flip(place)
            return "bit at \(place)"
        }
    }

    private static func replace(_ bytes: [UInt8], _ path: String, _ random: inout SplitMix64) -> String {
        let pages = Array(2..<bytes.count / pageSize)
        var changes: [String] = []
        for page in pages.shuffled(using: &random).prefix(3) {
            let kind = bytes[page * pageSize + 10]
            let alike = pages.filter { $0 != page && bytes[$0 * pageSize + 10] == kind }
            guard let other = alike.randomElement(using: &random) else { continue }
            // The number of a page is its first eight bytes.
            for offset in 8..<pageSize where bytes[page * pageSize + offset] != bytes[other * pageSize + offset] {
                RawFile.patch(path, at: page * pageSize + offset, bytes[other * pageSize + offset])
            }
            changes.append("page \(page) as \(other)")
        }
        return changes.joined(separator: ", ")
    }

    /// Sends writes whose answers are known.
    private static func write(_ client: LineSocket, _ name: String, _ random: inout SplitMix64) throws {
        var versions = (0..<streams).map { number in (keys - number + streams - 1) / streams }
        for _ in 0..<300 {
            let number = Int.random(in: 0..<10_000, using: &random)
            let (line, isRight): (String, (String) -> Bool) =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: (user(number % users), { $0.text("code") == "exists" })
                case 1: (user(number % users, id: ""), { $0.text("code") == "exists" })
                case 2:
                    (
                        keyed(number % keys),
                        { $0.contains("repeated") && $0.number("position") == UInt64(users + number % keys + 3) }
                    )
                default:
                    (
                        #"APPEND note-\#(number % streams) {"type":"T","data":1}"#,
                        { $0.number("version") == UInt64(versions[number % streams] + 1) }
                    )
                }
            let answer = try client.ask(line)
            if ["internal", "busy"].contains(answer.text("code") ?? "") { continue }
            expect(isRight(answer), "\(name): \(line) is answered \(answer)")
            if line.hasSuffix("1}"), answer.hasPrefix("+") { versions[number % streams] += 1 }
        }
    }
}
