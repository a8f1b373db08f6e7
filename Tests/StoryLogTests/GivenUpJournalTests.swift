import StoryCore
import StoryStorage
import TestSupport
import Testing
import Glibc

@testable import StoryLog

/// A journal that an operator gave up, though it is there.
struct GivenUpJournalTests {
    @Test func `a journal that is there is not given up, now or later`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 3)
        let image = try bench.killed()
        RawFile.write([], image.journal + ".lost")
        try image.open(.reading)
        expect(Folder.exists(image.journal + ".lost"), "a reader removes nothing")
        image.close()
        try image.open()
        expect(image.log.head == Position(3) && image.log.wasSurrendered)
        expect(!Folder.exists(image.journal + ".lost"))
        try image.reopen()
        expect(!image.log.wasSurrendered)
        image.close()
        unlink(image.journal)
        #expect(throws: StorageError.self, "its journal is missing") { try image.open() }
    }
}
