import Foundation
import TestSupport

/// A run that was recorded, with all that is known of it afterwards. It lies in a folder, where it can be kept.
struct Recording {
    let path: String
    let calls: [RecordedCall]
    /// What the disk held when the recording began.
    let base: Disk
    /// What lay in the folder when all processes had ended: what the cache has.
    let real: Image
    let reference: Reference
    /// Stores beside the one that is served, and how the line begins that says that one is there.
    let copies: [String: String]
    /// Texts that are erased, and how the line begins that says that nothing is left of one.
    let gone: [String: String]
    let lines: SentLines
    /// Where the log ended when the recording began.
    let least: UInt64

    init(_ path: String) throws {
        self.path = path
        calls = try RecordFile(path: path + "/record").calls()
        base = try Disk(path + "/base", named: Files.text(path + "/name"))
        real = try Image.read(path + "/root")
        reference = try Reference(reading: path + "/root/data")
        least = UInt64(Files.text(path + "/least")) ?? 0
        (copies, gone) = (Recording.promises(path + "/copies"), Recording.promises(path + "/gone"))
        self.lines = SentLines(calls)
    }

    private static func promises(_ path: String) -> [String: String] {
        let lines = Files.text(path).split(separator: "\n").map { $0.split(separator: "\t") }
        return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), String($0[1])) })
    }

    /// The last requests that have a receipt, each with that.
    var receipts: [(line: String, receipt: SentLines.Line)] {
        Files.text(path + "/requests").split(separator: "\n").suffix(40).compactMap { line in
            let tag = line.dropFirst().prefix { $0 != " " }
            return lines.first("+@\(tag) ").map { (String(line), $0) }
        }.suffix(5)
    }

    /// The position that the log surely reaches at a moment.
    func required(before clock: UInt64) -> UInt64 { max(least, lines.required(before: clock)) }

    /// True where a process was killed within a call: then nobody knows what the cache has.
    var isCutOff: Bool { calls.contains { $0.end == nil && $0.kind != .sends } }

    /// Keeps it for another look; answers where.
    func keep(as name: String) throws -> String {
        let folder = "/tmp/power-failures"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let kept = "\(folder)/\(name)"
        try? FileManager.default.removeItem(atPath: kept)
        try FileManager.default.copyItem(atPath: path, toPath: kept)
        return kept
    }
}
