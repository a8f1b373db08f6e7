import Glibc
import StoryCore
import TestSupport
import Testing

@testable import StoryStorage

struct NewFolderTests {
    private let folder = TemporaryFolder()

    private func make(_ path: String) throws {
        let new = try NewFolder(path)
        try Folder.make(new.draft, mustBeNew: true)
        RawFile.write([1], new.draft + "/file")
        try new.publish()
    }

    private func isMade(_ path: String) -> Bool { RawFile.read(path + "/file") == [1] }

    @Test(arguments: ["", "/", "//", "/.", "/./"])
    func `a place is the same with slashes and dots behind it`(end: String) throws {
        try make(folder.store + end)
        expect(isMade(folder.store))
        try Folder.make(folder.path + "/empty")
        try make(folder.path + "/empty" + end)
        expect(isMade(folder.path + "/empty"))
        expect(try Folder.names(in: folder.path).sorted() == ["empty", "store"])
    }

    @Test(arguments: ["x", "é", "👩‍👩‍👧"])
    func `a name may be as long as the file system takes`(character: String) throws {
        let count = NewFolder.longestName / character.utf8.count
        let name =
            String(repeating: character, count: count)
            + String(repeating: "y", count: NewFolder.longestName - count * character.utf8.count)
        expect(name.utf8.count == NewFolder.longestName)
        try make(folder.path + "/" + name)
        expect(isMade(folder.path + "/" + name))
        expect(try Folder.names(in: folder.path) == [name])
    }

    @Test func `a path whose bytes are not UTF-8 is refused, not repaired`() throws {
        let latin = Array((folder.path + "/caf").utf8CString.dropLast()) + [CChar(bitPattern: 0xE9), 0]
        expect(mkdir(latin, 0o700) == 0)
        expect(symlink(latin, folder.path + "/link") == 0)
        let error = failure { () throws(StorageError) in try NewFolder(folder.path + "/link/new") }
        expect(error?.text.contains(#"caf\xe9" is not UTF-8"#) == true, "\(String(describing: error))")
        expect(try Folder.names(in: folder.path).sorted() == [#"caf\xe9"#, "link"])
        expect(rmdir(latin) == 0)
    }

    @Test func `a link to an empty folder stays, and leads to the new one`() throws {
        try Folder.make(folder.path + "/empty")
        expect(symlink("empty", folder.path + "/link") == 0)
        try make(folder.path + "/link")
        expect(isMade(folder.path + "/empty") && isMade(folder.path + "/link"))
        try make(folder.path + "/link/inner")
        expect(isMade(folder.path + "/empty/inner"))
    }

    @Test func `where something is nothing is made`() throws {
        try make(folder.store)
        expect(symlink("nowhere", folder.path + "/link") == 0)
        for (name, reason) in [
            ("/store", "is not empty"), ("/store/", "is not empty"), ("/link", "leads to nothing"),
            ("/store/file", "Not a directory"),
        ] {
            let error = failure { () throws(StorageError) in _ = try NewFolder(folder.path + name) }
            expect(error?.text.contains(reason) == true, "\(name): \(String(describing: error))")
        }
    }

    @Test func `what came there meanwhile stays`() throws {
        let new = try NewFolder(folder.store)
        try Folder.make(new.draft, mustBeNew: true)
        try Folder.make(folder.store)
        RawFile.write([2], folder.store + "/file")
        expect(failure { () throws(StorageError) in try new.publish() } != nil)
        expect(RawFile.read(folder.store + "/file") == [2])
    }

    /// A root of a file system that is empty; nil where nobody sees one, as in some containers.
    private static let emptyRoot: String? = {
        let mounts = Files.text("/proc/self/mounts").split(separator: "\n")
        let places = mounts.compactMap { $0.split(separator: " ").dropFirst().first.map { String($0) } }
        return places.first { place in
            device(of: place) != device(of: place + "/..") && (try? Folder.names(in: place)) == []
        }
    }()

    private static func device(of path: String) -> dev_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_dev : nil
    }

    @Test(.enabled(if: emptyRoot != nil, "no file system is mounted here whose root is empty"))
    func `a root of a file system cannot be replaced`() throws {
        let root = try require(NewFolderTests.emptyRoot)
        let error = failure { () throws(StorageError) in _ = try NewFolder(root) }
        // Somebody may have put something there since.
        let reasons = ["is a file system of its own", "is not empty"]
        expect(
            reasons.contains { error?.text.contains($0) == true }, "\(root): \(String(describing: error))")
    }
}
