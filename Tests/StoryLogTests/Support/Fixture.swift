import Foundation
import TestSupport
import Testing

/// A data directory that an older program wrote, unpacked for one test.
struct Fixture {
    let folder = TemporaryFolder()

    /// - Parameter name: of an archive in `Fixtures`, which holds one directory.
    init(_ name: String) throws {
        try Fixture.run("tar", "-xzf", Fixture.place(name), "-C", folder.path)
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        try FileManager.default.moveItem(atPath: folder.path + "/" + made[0], toPath: folder.store)
        chmod(folder.store, 0o700)
    }

    /// The lines of every event, as the older program answered `READ events`.
    static func events() throws -> [String] {
        let folder = TemporaryFolder()
        let text = folder.path + "/events"
        RawFile.write([], text)
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = ["gzip", "-dc", place("events.ndjson.gz")]
        program.standardOutput = try FileHandle(forWritingTo: URL(filePath: text))
        try program.run()
        program.waitUntilExit()
        return String(decoding: RawFile.read(text), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func place(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/\(name)").path
    }

    static func run(_ arguments: String...) throws {
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = arguments
        try program.run()
        program.waitUntilExit()
        try #require(program.terminationStatus == 0)
    }
}
