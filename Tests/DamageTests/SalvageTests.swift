import Foundation
import TestSupport
import Testing

/// `storectl salvage`: a store of all that is good.
@Suite(.serialized) struct SalvageTests {
    @Test func `what is salvaged is what was written, and what is not is listed`() throws {
        var (events, lostEvents, images, models) = (0, 0, 0, 0)
        for isKilled in [false, true] {
            let original = try Original(events: 600, isKilled: isKilled, isDeclaring: true, seed: 11)
            let folder = try ImageFolder()
            let whole = try Self.lines(of: try folder.image(of: original.data))
            for number in 0..<max(imageCount / 10, 4) {
                var random = SplitMix64(seed: UInt64(number))
                let image = try folder.image(of: original.data)
                var damages: [Damage] = []
                for _ in 0...number % 5 {
                    let file = random.pick("log/data.mdb", "log/data.mdb", "log.journal")
                    // A file that was cut to nothing cannot be spoiled any more.
                    guard Files.size("\(image)/\(file)") > 3 * 4_096 else { continue }
                    damages.append(try Damage(file, in: image, &random))
                }
                let (lost, hasModel) = try Self.check(image, whole, "image \(number), \(damages)")
                events += whole.count
                lostEvents += lost
                models += hasModel ? 1 : 0
                images += 1
            }
        }
        print("salvaged: \(images) images, \(lostEvents) of \(events) events lost; \(models) with their model")
        expect(lostEvents > 0 && models > 0)
    }

    @Test func `what was salvaged can be salvaged again`() throws {
        let original = try Original(events: 600, isKilled: true, seed: 12)
        let folder = try ImageFolder()
        var lost = 0
        for number in 0..<16 {
            var random = SplitMix64(seed: UInt64(number))
            let image = try folder.image(of: original.data)
            let first = image + ".first-\(number)"
            defer { try? FileManager.default.removeItem(atPath: first) }
            try Self.spoil(image, &random)
            let run = try Self.storectl("salvage", image, "--out", first)
            guard run.exit == .code(5) else { continue }
            let whole = try Self.lines(of: first)
            try Self.spoil(first, &random)
            lost += try Self.check(first, whole, "image \(number), salvaged once").lost
        }
        expect(lost > 0)
    }

    @Test func `a store that is whole is salvaged whole, and one that is served not at all`() throws {
        let original = try Original(events: 100, isKilled: true, seed: 5)
        let out = original.daemon.folder.place("out")
        try original.daemon.start()
        let held = try Self.storectl("salvage", original.data, "--out", out)
        expect(held.exit == .code(2) && held.errors.contains("is held by process"), "\(held)")
        expect(try original.daemon.stop() == .code(0))
        let whole = try Self.lines(of: original.data)
        let run = try Self.storectl("salvage", original.data, "--out", out)
        expect(run.exit == .code(0) && run.output == "salvaged: \(whole.count) of \(whole.count) events\n", "\(run)")
        expect(try Self.lines(of: out) == whole)
        let again = try Self.storectl("salvage", original.data, "--out", out)
        expect(again.exit == .code(2) && again.errors.contains("not empty"), "\(again)")
        expect(try Files.names(in: original.daemon.folder.path).filter { $0.hasSuffix(".tmp") } == [])
    }

    @Test func `records on pages that no commit has are no events`() throws {
        let original = try Original(events: 100, isKilled: false, seed: 5)
        let folder = try ImageFolder()
        let image = try folder.image(of: original.data)
        let whole = try Self.lines(of: image)
        // What the store writes later, as a turn leaves it that a power failure cut off before its commit.
        try original.daemon.start()
        let client = try original.daemon.client()
        let text = String(repeating: "x", count: 2_000)
        for number in 1...300 {
            expect(try client.ask(#"APPEND later-\#(number) {"type":"T","data":{"x":"\#(text)"}}"#).hasPrefix("+"))
        }
        expect(try original.daemon.stop() == .code(0))
        let file = try require(FileHandle(forWritingAtPath: image + "/log/data.mdb"))
        try file.seekToEnd()
        try file.write(contentsOf: try Data(contentsOf: URL(fileURLWithPath: original.data + "/log/data.mdb")))
        try file.close()
        let out = original.daemon.folder.place("out")
        let run = try Self.storectl("salvage", image, "--out", out)
        expect(run.exit == .code(0) && run.output == "salvaged: \(whole.count) of \(whole.count) events\n", "\(run)")
        expect(try Self.lines(of: out) == whole)
    }

    @Test func `an event on pages that no commit has is listed where it stands for one that is gone`() throws {
        let original = try Original(events: 100, isKilled: false, seed: 5)
        let folder = try ImageFolder()
        let image = try folder.image(of: original.data)
        defer { withExtendedLifetime(folder) {} }
        let count = try Self.lines(of: image).count
        try Files.write("", to: image + "/log.journal")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: image + "/log/data.mdb"))
        let record = try require(bytes.range(of: Data(#"{"position":50,"#.utf8)))
        bytes[record.lowerBound] ^= 1
        // As a commit that failed leaves events behind.
        bytes += try Data(contentsOf: URL(fileURLWithPath: original.data + "/log/data.mdb"))
        try bytes.write(to: URL(fileURLWithPath: image + "/log/data.mdb"))
        let out = original.daemon.folder.place("out")
        let run = try Self.storectl("salvage", image, "--out", out)
        expect(run.exit == .code(5), "\(run)")
        expect(run.output == "salvaged: \(count) of \(count) events\ndoubtful: position 50\n", "\(run.output)")
    }

    /// Spoils the log in some places; its journal, which may hold the same events, is lost.
    private static func spoil(_ data: String, _ random: inout SplitMix64) throws {
        for _ in 1...6 { _ = try Damage("log/data.mdb", in: data, &random) }
        try Files.write("", to: data + "/log.journal")
    }

    /// Salvages an image; answers how many events are lost, and whether a declared model is left, whose rows are then the
    /// events that are left.
    private static func check(
        _ image: String, _ whole: [String], _ name: String
    ) throws -> (lost: Int, hasModel: Bool) {
        let out = image + ".out"
        defer { try? FileManager.default.removeItem(atPath: out) }
        let run = try storectl("--json", "salvage", image, "--out", out)
        guard run.exit != .code(2) || !run.errors.contains("holds no event") else { return (whole.count, false) }
        let lost = positions(run.output)
        let isDoubtful = !run.output.contains(#""doubtful":0,"#)
        expect(run.exit == .code(lost.isEmpty && !isDoubtful ? 0 : 5), "\(name): \(run)")
        let lines = try lines(of: out)
        expect(lines.count <= whole.count, "\(name)")
        for (index, line) in lines.enumerated() {
            if lost.contains(UInt64(index + 1)) {
                expect(line.text("type") == "EventLost", "\(name): \(line)")
            } else {
                expect(line == whole[index], "\(name)")
            }
        }
        let verdict = try storectl("--data", out, "verify")
        expect(verdict.exit == .code(0), "\(name): \(verdict)")
        let daemon = try ImageRun(out)
        let client = try require(try daemon.client(), "\(name): \(daemon.trace)")
        try DeclaredLoad.check(client)
        let hasModel = try !client.rows("MODELS").isEmpty
        expect(try daemon.stop() == .code(0), "\(name)")
        return (lost.count + whole.count - lines.count, hasModel)
    }

    private static func positions(_ json: String) -> Set<UInt64> {
        guard let start = json.range(of: #""ranges":["#), let end = json.range(of: #"],"position""#) else { return [] }
        var positions: Set<UInt64> = []
        for range in json[start.upperBound..<end.lowerBound].components(separatedBy: "],[") {
            let ends = range.split(whereSeparator: { !$0.isNumber }).compactMap { UInt64($0) }
            if ends.count == 2 { positions.formUnion(ends[0]...ends[1]) }
        }
        return positions
    }

    private static func lines(of data: String) throws -> [String] {
        let run = try storectl("--data", data, "export")
        expect(run.exit == .code(0), "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    private static func storectl(_ arguments: String...) throws -> Tool.Run { try Tool.run(arguments) }
}

/// `storectl` on its own.
enum Tool {
    struct Run {
        let exit: Exit
        let output: String
        let errors: String
    }

    static func run(_ arguments: [String]) throws -> Run {
        let folder = try Scratch()
        let (output, errors) = (folder.place("output"), folder.place("errors"))
        let exit = try Program([try Program.path("storectl")] + arguments, output: output, errors: errors).wait()
        return Run(exit: exit, output: Files.text(output), errors: Files.text(errors))
    }
}
