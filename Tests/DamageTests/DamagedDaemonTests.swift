import Foundation
import TestSupport
import Testing

/// The daemon on stores of which one thing is not as it was written.
@Suite(.serialized) struct DamagedDaemonTests {
    private enum Outcome: String {
        case right, named, refused, foldedAnew, rebuilt, builtAgain
    }

    @Test func `an image is answered as it was written, or what is wrong is named; models are folded again`() throws {
        let originals = try [false, true].map { try Original(events: 1_200, isKilled: $0, isDeclaring: true, seed: 7) }
        let files = [
            "log/data.mdb", "models/data.mdb", "log/data.mdb", "log.journal", "models/data.mdb", "models/checksums",
            "own/\(DeclaredLoad.name).1/data.mdb", "own/\(DeclaredLoad.name).1/checksums",
        ]
        let folder = try ImageFolder()
        var outcomes: [String: Int] = [:]
        for number in 0..<imageCount {
            var random = SplitMix64(seed: UInt64(number))
            let original = originals[number % 2]
            let image = try folder.image(of: original.data)
            let damage = try Damage(files[number / 2 % files.count], in: image, &random)
            let outcome = try Self.attempt(
                image, original, "image \(number), \(damage)", isAskedFirst: !number.isMultiple(of: 3))
            outcomes["\(damage.file) \(outcome)", default: 0] += 1
        }
        print(
            "damaged images: \(imageCount), \(outcomes.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", "))"
        )
    }

    /// - Parameter isAskedFirst: whether everything is asked before something is written; else a write may be the first
    ///   to meet the damage.
    private static func attempt(
        _ image: String, _ original: Original, _ name: String, isAskedFirst: Bool
    ) throws -> Outcome {
        let run = try ImageRun(image)
        guard let client = try run.client() else {
            let exit = try run.wait()
            expect(exit == .code(5), "\(name) ended with \(exit): \(run.trace)")
            expect(run.trace.contains("the store is damaged: "), "\(name): \(run.trace)")
            return .refused
        }
        var named = 0
        do {
            if isAskedFirst { named = try askAll(client, original, image, run, name) }
            for (write, receipt) in zip(original.writes, original.receipts) {
                var line = try client.ask(write)
                if line.hasPrefix("-"), try isRebuilt(image, run, name) { line = try client.ask(write) }
                expect(Original.withoutTime(line) == receipt || Self.isDamage(line), "\(name): \(write): \(line)")
            }
            let verdict = try client.ask("VERIFY")
            expect(verdict.hasPrefix("+") || Self.isDamage(verdict), "\(name): \(verdict)")
            if try isRebuilt(image, run, name) { expect(try client.ask("VERIFY").hasPrefix("+"), "\(name)") }
        } catch is LineSocket.Closed {
            Issue.record("\(name): the daemon ended with \(try run.wait()): \(run.trace)")
        }
        client.hangUp()
        let exit = try run.stop()
        expect(exit == .code(0), "\(name) ended with \(exit): \(run.trace)")
        if named > 0 { return .named }
        if run.trace.contains("rebuilt position") { return .rebuilt }
        if run.trace.contains("model-damaged") { return .builtAgain }
        return run.trace.contains("folding-anew") ? .foldedAnew : .right
    }

    /// Asks everything, verifies and copies; answers how often damage was named that stays.
    private static func askAll(
        _ client: LineSocket, _ original: Original, _ image: String, _ run: ImageRun, _ name: String
    ) throws -> Int {
        var named = try ask(client, original, name)
        var verdict = try client.ask("VERIFY")
        expect(verdict.hasPrefix("+") || Self.isDamage(verdict), "\(name): \(verdict)")
        if try isRebuilt(image, run, name) {
            // Damage of the models is gone with them.
            named = try ask(client, original, name)
            verdict = try client.ask("VERIFY")
            expect(named == 0 && verdict.hasPrefix("+"), "\(name): \(named), \(verdict)")
        }
        expect(named == 0 || !verdict.hasPrefix("+"), "\(name): VERIFY does not find what a reading found")
        try backUp(client, image + ".copy", verdict, name)
        return named
    }

    /// Waits until damaged models are replaced; answers whether they ever were.
    private static func isRebuilt(_ image: String, _ run: ImageRun, _ name: String) throws -> Bool {
        let traces = ["/models/damaged", "/models.new", "/models.old"]
        try until("\(name): the models are replaced: \(run.trace)") {
            !traces.contains { FileManager.default.fileExists(atPath: image + $0) }
        }
        return run.trace.contains("rebuilding reason")
    }

    /// Asks everything; answers how often damage was named.
    private static func ask(_ client: LineSocket, _ original: Original, _ name: String) throws -> Int {
        var named = 0
        for start in stride(from: 0, to: original.questions.count, by: 50) {
            let questions = original.questions[start..<min(start + 50, original.questions.count)]
            var unready: [String] = []
            for question in questions { client.send(question) }
            for question in questions {
                let (lines, wanted) = (try client.nextReply(), original.answers[question] ?? [])
                if lines == wanted { continue }
                if Original.isOfDeclared(question), lines.last.map(isUnready) == true {
                    unready.append(question)
                    continue
                }
                let isNamed = Self.isDamage(lines.last ?? "") && wanted.starts(with: lines.dropLast())
                expect(isNamed, "\(name): \(question) is answered \(lines.last?.prefix(200) ?? "")")
                named += 1
            }
            for question in unready where named == 0 { try askAgain(client, question, original, name) }
        }
        return named
    }

    /// Asks until a declared model is built again.
    private static func askAgain(
        _ client: LineSocket, _ question: String, _ original: Original, _ name: String
    ) throws {
        var lines: [String] = []
        try until("\(name): \(question) is answered as before: \(lines.last ?? "")") {
            lines = try client.reply(to: question)
            return lines.last.map(isUnready) != true
        }
        expect(lines == original.answers[question], "\(name): \(question)")
    }

    /// True where a declared model's damage is named, or it is being built.
    private static func isUnready(_ line: String) -> Bool { isDamage(line) || line.text("code") == "busy" }

    /// A copy is made of what is whole alone.
    private static func backUp(_ client: LineSocket, _ copy: String, _ verdict: String, _ name: String) throws {
        let reply = try client.ask("BACKUP \"\(copy)\"")
        // A copy is one of the log, whatever became of the models, built-in or declared.
        let isLogWhole = verdict.hasPrefix("+") || verdict.contains("/models") || verdict.contains("/own/")
        expect(reply.hasPrefix("+") == isLogWhole, "\(name): \(verdict), but \(reply)")
        expect(reply.hasPrefix("+") == FileManager.default.fileExists(atPath: copy), "\(name): \(reply)")
        if !reply.hasPrefix("+") { expect(reply.contains("position"), "\(name): \(reply)") }
        try? FileManager.default.removeItem(atPath: copy)
    }

    private static func isDamage(_ line: String) -> Bool { line.hasPrefix("-") && line.text("code") == "internal" }
}
