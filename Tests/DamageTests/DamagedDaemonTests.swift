import Foundation
import TestSupport
import Testing

/// The daemon on stores of which one thing is not as it was written.
@Suite(.serialized) struct DamagedDaemonTests {
    private enum Outcome: String {
        case right, named, refused, foldedAnew, stopped
    }

    @Test func `an image is answered as it was written, or what is wrong is named; models are folded again`() throws {
        let originals = try [false, true].map { try Original(events: 1_200, isKilled: $0, seed: 7) }
        let files = [
            "log/data.mdb", "models/data.mdb", "log/data.mdb", "log.journal", "models/data.mdb", "models/checksums",
        ]
        let folder = try ImageFolder()
        var outcomes: [String: Int] = [:]
        for number in 0..<imageCount {
            var random = SplitMix64(seed: UInt64(number))
            let original = originals[number % 2]
            let image = try folder.image(of: original.data)
            let damage = try Damage(files[number / 2 % files.count], in: image, &random)
            let again = image + ".again"
            if damage.file.hasPrefix("models") { try FileManager.default.copyItem(atPath: image, toPath: again) }
            defer { try? FileManager.default.removeItem(atPath: again) }
            let outcome = try Self.attempt(image, original, "image \(number), \(damage)")
            if outcome == .stopped {
                try Self.restore(image, again, original, "image \(number), \(damage), again")
            }
            outcomes["\(damage.file) \(outcome)", default: 0] += 1
        }
        print(
            "damaged images: \(imageCount), \(outcomes.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", "))"
        )
    }

    private static func attempt(_ image: String, _ original: Original, _ name: String) throws -> Outcome {
        let run = try ImageRun(image)
        guard let client = try run.client() else {
            let exit = try run.wait()
            #expect(exit == .code(5), "\(name) ended with \(exit): \(run.trace)")
            #expect(run.trace.contains("the store is damaged: "), "\(name): \(run.trace)")
            return .refused
        }
        var named = 0
        // A damaged page of the models ends the daemon at its first use.
        func hasStopped() throws -> Bool {
            guard FileManager.default.fileExists(atPath: image + "/models/damaged") else { return false }
            let exit = try run.wait()
            #expect(exit == .code(5) && run.trace.contains("storage-failed"), "\(name): \(exit): \(run.trace)")
            return true
        }
        do {
            named = try ask(client, original, name)
            let verdict = try client.ask("VERIFY")
            #expect(verdict.hasPrefix("+") || Self.isDamage(verdict), "\(name): \(verdict)")
            #expect(named == 0 || !verdict.hasPrefix("+"), "\(name): VERIFY does not find what a reading found")
            try backUp(client, image + ".copy", verdict, name)
            for (write, receipt) in zip(original.writes, original.receipts) {
                let line = try client.ask(write)
                #expect(Original.withoutTime(line) == receipt || Self.isDamage(line), "\(name): \(write): \(line)")
            }
        } catch is LineSocket.Closed {
            if try hasStopped() { return .stopped }
            Issue.record("\(name): the daemon ended with \(try run.wait()): \(run.trace)")
        }
        client.hangUp()
        let exit = try run.stop()
        if exit == .code(5), try hasStopped() { return .stopped }
        #expect(exit == .code(0), "\(name) ended with \(exit): \(run.trace)")
        if named > 0 { return .named }
        return run.trace.contains("folding-anew") ? .foldedAnew : .right
    }

    /// Starts again where damage of the models ended the daemon: they are folded again, and all answers are right.
    ///
    /// - Parameter copy: the image as it was, without the writes that the first daemon took.
    private static func restore(_ image: String, _ copy: String, _ original: Original, _ name: String) throws {
        let run = try ImageRun(image)
        let client = try #require(try run.client(), "\(name): \(run.trace)")
        #expect(run.trace.contains("folding-anew"), "\(name): \(run.trace)")
        #expect(try client.ask("VERIFY").hasPrefix("+"), "\(name)")
        client.hangUp()
        #expect(try run.stop() == .code(0), "\(name): \(run.trace)")
        try Files.write("noted", to: copy + "/models/damaged")
        #expect(try attempt(copy, original, name) == .foldedAnew, "\(name)")
    }

    /// Asks everything; answers how often damage was named.
    private static func ask(_ client: LineSocket, _ original: Original, _ name: String) throws -> Int {
        var named = 0
        for start in stride(from: 0, to: original.questions.count, by: 50) {
            let questions = original.questions[start..<min(start + 50, original.questions.count)]
            for question in questions { client.send(question) }
            for question in questions {
                let (lines, wanted) = (try client.nextReply(), original.answers[question] ?? [])
                if lines == wanted { continue }
                let isNamed = Self.isDamage(lines.last ?? "") && wanted.starts(with: lines.dropLast())
                #expect(isNamed, "\(name): \(question) is answered \(lines.last?.prefix(200) ?? "")")
                named += 1
            }
        }
        return named
    }

    /// A copy is made of what is whole alone.
    private static func backUp(_ client: LineSocket, _ copy: String, _ verdict: String, _ name: String) throws {
        let reply = try client.ask("BACKUP \"\(copy)\"")
        // A copy is one of the log, whatever became of the models.
        let isLogWhole = verdict.hasPrefix("+") || verdict.contains("/models")
        #expect(reply.hasPrefix("+") == isLogWhole, "\(name): \(verdict), but \(reply)")
        #expect(reply.hasPrefix("+") == FileManager.default.fileExists(atPath: copy), "\(name): \(reply)")
        if !reply.hasPrefix("+") { #expect(reply.contains("position"), "\(name): \(reply)") }
        try? FileManager.default.removeItem(atPath: copy)
    }

    private static func isDamage(_ line: String) -> Bool { line.hasPrefix("-") && line.text("code") == "internal" }
}
