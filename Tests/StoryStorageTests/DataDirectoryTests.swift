import Glibc
import StoryCore
import StoryLog
import TestSupport
import Testing

@testable import StoryStorage

struct DataDirectoryTests {
    private let folder = TemporaryFolder()

    @Test func `a new directory is its owner's alone, its parents with it`() throws {
        let path = folder.path + "/a/b/store"
        let directory = try DataDirectory(path, for: .serving)
        let log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 1))
        for name in ["/a", "/a/b", "/a/b/store", "/a/b/store/log"] {
            expect(RawFile.mode(folder.path + name) == 0o700, "\(name)")
        }
        for name in ["/FORMAT", "/lock", "/log.journal", "/log/data.mdb", "/log/lock.mdb"] {
            expect(RawFile.mode(path + name) == 0o600, "\(name)")
        }
        log.close()
        directory.close()
    }

    @Test func `a second holder is refused and told who the first is`() throws {
        let first = try DataDirectory(folder.store, for: .serving)
        let error = failure { () throws(StorageError) in try DataDirectory(folder.store, for: .serving) }
        expect(error == .held("\(folder.store) is held by process \(getpid())"))
        _ = try DataDirectory(folder.store, for: .reading)
        first.close()
        try DataDirectory(folder.store, for: .serving).close()
    }

    @Test func `a directory that was closed is free, even while a child has a copy of its lock's descriptor`() throws {
        let directory = try DataDirectory(folder.store, for: .serving)
        // What a child has between fork and exec.
        let copy = try require(copyOfDescriptor(folder.store + "/lock"))
        defer { Glibc.close(copy) }
        directory.close()
        try DataDirectory(folder.store, for: .serving).close()
    }

    @Test func `only serving makes a directory`() throws {
        for path in [folder.store, folder.path] {
            expect(failure { () throws(StorageError) in try DataDirectory(path, for: .reading) } != nil)
        }
        expect(!Folder.exists(folder.store) && !Folder.exists(folder.path + "/lock"))
    }

    @Test(arguments: [0o770, 0o702, 0o720] as [mode_t])
    func `a directory that others may write to is refused`(mode: mode_t) throws {
        try DataDirectory(folder.store, for: .serving).close()
        chmod(folder.store, mode)
        let error = failure { () throws(StorageError) in try DataDirectory(folder.store, for: .serving) }
        expect(error?.text.contains("may be written") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
    func `a directory of another user is refused`() throws {
        try DataDirectory(folder.store, for: .serving).close()
        chown(folder.store, 12_345, 12_345)
        let error = failure { () throws(StorageError) in try DataDirectory(folder.store, for: .serving) }
        expect(error?.text.contains("belongs to uid 12345") == true)
    }

    @Test func `a file in the directory's place is refused`() throws {
        RawFile.write([1], folder.store)
        expect(failure { () throws(StorageError) in try DataDirectory(folder.store, for: .serving) } != nil)
    }

    @Test func `file systems of other machines are known by their numbers`() {
        expect(FileSystemKind.name(0x6969) == "NFS")
        expect(FileSystemKind.name(0x6573_5546) == "FUSE")
        // ext4, XFS, Btrfs, tmpfs, overlayfs.
        for number in [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630] as [UInt32] {
            expect(FileSystemKind.name(number) == nil)
        }
        expect(FileSystemKind.kind(0xEF53) == .disk)
        expect(FileSystemKind.kind(0x0102_1994) == .memory && FileSystemKind.kind(0x8584_58F6) == .memory)
        expect(FileSystemKind.kind(0x794C_7630) == .overlay)
    }

    @Test func `another format is refused, and a format that is gone`() throws {
        try DataDirectory(folder.store, for: .serving).close()
        RawFile.write(Array("storykeep 5\n".utf8), folder.store + "/FORMAT")
        RawFile.write(Array("4711\n".utf8), folder.store + "/lock")
        let newer = failure { () throws(StorageError) in try DataDirectory(folder.store, for: .serving) }
        let sentence = "has format 5, and this program reads format 4: start a newer version"
        expect(newer?.text.contains(sentence) == true)
        expect(RawFile.read(folder.store + "/lock") == Array("4711\n".utf8), "nothing is written in it")
        RawFile.write(Array("storykeep 2\n".utf8), folder.store + "/FORMAT")
        let older = failure { () throws(StorageError) in try DataDirectory(folder.store, for: .serving) }
        expect(older?.text.hasSuffix("version that wrote it, and import that into a new directory") == true)
        RawFile.write(Array("something else".utf8), folder.store + "/FORMAT")
        expect(
            failure { () throws(StorageError) in try DataDirectory(folder.store, for: .serving) }?.isCorrupt == true)
        unlink(folder.store + "/FORMAT")
        mkdir(folder.store + "/log", 0o700)
        expect(
            failure { () throws(StorageError) in try DataDirectory(folder.store, for: .serving) }?.isCorrupt == true)
    }

    @Test func `a journal that is all that is left is not removed by a start that is refused`() throws {
        let directory = try DataDirectory(folder.store, for: .serving)
        let log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 1))
        log.close()
        directory.close()
        let journal = RawFile.read(folder.store + "/log.journal")
        let left = folder.path + "/left"
        try Folder.make(left)
        RawFile.write(journal.map { $0 &+ 1 }, left + "/log.journal")
        let again = try DataDirectory(left, for: .serving)
        expect(
            failure { () throws(StorageError) in _ = try LMDBEventLog(in: again, now: Instant(milliseconds: 1)) } != nil
        )
        again.discardNew()
        expect(RawFile.read(left + "/log.journal") == journal.map { $0 &+ 1 })
    }

    @Test func `models without a log are not taken for a new directory`() throws {
        let directory = try DataDirectory(folder.store, for: .serving)
        mkdir(folder.store + "/models", 0o700)
        let error = failure { () throws(StorageError) in
            try LMDBEventLog(in: directory, now: Instant(milliseconds: 1))
        }
        expect(error?.isCorrupt == true)
    }

    /// A copy of the descriptor that this process has of a file; nil where it has none.
    private func copyOfDescriptor(_ path: String) -> Int32? {
        var (wanted, found) = (stat(), stat())
        guard stat(path, &wanted) == 0 else { return nil }
        let descriptor = (3..<1_024 as Range<Int32>).first {
            fstat($0, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
        }
        return descriptor.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    }
}
