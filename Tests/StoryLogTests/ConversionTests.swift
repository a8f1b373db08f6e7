import Foundation
import StoryCore
import StoryModels
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// Directories of format 1 and 2, which the release at 54e6249 wrote: users, stories, messages, photos and events of
/// the users' own, with keys and meta. That of format 2 was killed, and its newest events are in its journal alone.
struct ConversionTests {
    private func open(
        _ path: String, _ access: DataDirectory.Access = .serving
    ) throws -> (DataDirectory, LMDBEventLog) {
        let directory = try held(path, access)
        do {
            return (directory, try LMDBEventLog(in: directory, now: Instant(milliseconds: 1), journalSize: 1 << 16))
        } catch {
            directory.close()
            throw error
        }
    }

    /// A process that another test is just starting has this one's descriptors for a moment, and so its lock.
    private func held(_ path: String, _ access: DataDirectory.Access) throws -> DataDirectory {
        for _ in 1...200 {
            do throws(StorageError) {
                return try DataDirectory(path, for: access)
            } catch .held {
                usleep(10_000)
            }
        }
        return try DataDirectory(path, for: access)
    }

    private func expectConverted(_ path: String, _ source: SourceLocation = #_sourceLocation) throws {
        for access in [DataDirectory.Access.serving, .serving, .reading] {
            let (directory, log) = try open(path, access)
            #expect(try log.lines() == Fixture.events(), sourceLocation: source)
            try log.verify { _ in }
            log.close()
            directory.close()
        }
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: path))
        #expect(names == ["FORMAT", "lock", "log", "log.journal", "models"], sourceLocation: source)
        #expect(RawFile.read(path + "/FORMAT").starts(with: Array("storykeep 3\n".utf8)), sourceLocation: source)
    }

    @Test(arguments: ["format-1.tar.gz", "format-2.tar.gz"])
    func `a directory of an older format is converted, and every event keeps its bytes`(name: String) throws {
        let fixture = try Fixture(name)
        #expect(try Fixture.events().count == 89)
        let error = failure { () throws(StorageError) in try DataDirectory(fixture.folder.store, for: .reading) }
        #expect(error?.text.contains("start stored on it") == true)
        try expectConverted(fixture.folder.store)
    }

    @Test func `the log keeps its identity, and models of an older version are told from damaged ones`() throws {
        let fixture = try Fixture("format-2.tar.gz")
        let old = try Data(contentsOf: URL(filePath: fixture.folder.store + "/log.journal"))[8..<24]
        let (directory, log) = try open(fixture.folder.store)
        defer {
            log.close()
            directory.close()
        }
        #expect(log.identity == LogIdentity(id: LogID(binary: Array(old))))
        let error = failure { () throws(StorageError) in try ModelSnapshot(in: directory) }
        #expect(error?.text.contains("is of an older version, without checksums: start a daemon") == true)
    }

    @Test func `a crash after any step is gone on from at the next start`() throws {
        let converted = try Fixture("format-2.tar.gz")
        let (directory, log) = try open(converted.folder.store)
        log.close()
        directory.close()
        let names = ["log.new", "log.old.tmp", "log.journal.old.tmp", "log", "log.journal", "FORMAT"]
        for steps in 0...names.count {
            let image = try Fixture("format-2.tar.gz").folder
            let (path, new) = (image.store, converted.folder.store)
            func move(_ name: String, _ other: String) throws {
                try FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: "\(path)/\(other)")
            }
            if steps == 0 {
                try Fixture.run("cp", "-r", new + "/log", path + "/log.new.draft")
                RawFile.write([1, 2, 3], path + "/log.new.draft/data.mdb")
            }
            if steps >= 1 { try Fixture.run("cp", "-r", new + "/log", path + "/log.new") }
            if steps >= 2 { try move("log", "log.old.tmp") }
            if steps >= 3 { try move("log.journal", "log.journal.old.tmp") }
            if steps >= 4 { try move("log.new", "log") }
            if steps >= 5 { try Fixture.run("cp", new + "/log.journal", path + "/log.journal") }
            if steps >= 6 { try Fixture.run("cp", new + "/FORMAT", path + "/FORMAT") }
            try expectConverted(path)
        }
    }

    @Test func `an old log that is damaged is refused and left as it is`() throws {
        let fixture = try Fixture("format-2.tar.gz")
        let path = fixture.folder.store
        let files = ["/log/data.mdb", "/log.journal"]
        let whole = files.map { RawFile.read(path + $0) }
        // The header of the journal, and an event in the log.
        for (file, bytes, text) in [(files[0], whole[0], "\"total\":12.50"), (files[1], whole[1], "stkjlog1")] {
            let text = Array(text.utf8)
            // Pages that LMDB does not use any more hold it, too.
            var spoiledFile = Data(bytes)
            while let range = spoiledFile.range(of: Data(text)) { spoiledFile[range.lowerBound + 3] = 0x58 }
            RawFile.write(Array(spoiledFile), path + file)
            let spoiled = files.map { RawFile.read(path + $0) }
            let error = #expect(throws: StorageError.self) { try open(path) }
            #expect(error?.isCorrupt == true)
            #expect(files.map { RawFile.read(path + $0) } == spoiled)
            #expect(RawFile.read(path + "/FORMAT").starts(with: Array("storykeep 2\n".utf8)))
            RawFile.write(bytes, path + file)
        }
        try expectConverted(path)
    }

    @Test func `a log that is gone is missed before anything is changed`() throws {
        for name in ["log.journal", "models"] {
            let fixture = try Fixture("format-2.tar.gz")
            let path = fixture.folder.store
            for other in ["log", "log.journal", "models"] where other != name {
                try FileManager.default.moveItem(atPath: "\(path)/\(other)", toPath: "\(path)-\(other)")
            }
            let error = #expect(throws: StorageError.self) { try open(path) }
            #expect(error?.text.contains("but its log is gone") == true)
            #expect(RawFile.read(path + "/FORMAT").starts(with: Array("storykeep 2\n".utf8)))
            for other in ["log", "log.journal", "models"] where other != name {
                try FileManager.default.moveItem(atPath: "\(path)-\(other)", toPath: "\(path)/\(other)")
            }
            try expectConverted(path)
        }
    }

    @Test func `what somebody else has set aside stays`() throws {
        let folder = TemporaryFolder()
        for _ in 1...2 {
            let (directory, log) = try open(folder.store)
            log.close()
            directory.close()
            try? Fixture.run("cp", "-r", folder.store + "/log", folder.store + "/log.old")
            try? Fixture.run("cp", folder.store + "/log.journal", folder.store + "/log.journal.old")
        }
        #expect(!RawFile.read(folder.store + "/log.old/data.mdb").isEmpty)
        #expect(!RawFile.read(folder.store + "/log.journal.old").isEmpty)
    }

    @Test func `a directory without a log is only given its new format`() throws {
        let folder = TemporaryFolder()
        try DataDirectory(folder.store, for: .serving).close()
        RawFile.write(Array("storykeep 2\n".utf8), folder.store + "/FORMAT")
        let (directory, log) = try open(folder.store)
        #expect(log.head == .zero)
        log.close()
        directory.close()
        #expect(RawFile.read(folder.store + "/FORMAT").starts(with: Array("storykeep 3\n".utf8)))
    }
}
