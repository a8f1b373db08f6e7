import Glibc
import StoryCore
import TestSupport
import Testing

@testable import StoryStorage

struct EnvironmentTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/env" }
    private var file: String { path + "/data.mdb" }

    @Test func `what an earlier crash left beside the place is replaced`() throws {
        mkdir(path + ".tmp", 0o700)
        RawFile.write([1, 2, 3], path + ".tmp/data.mdb")
        RawFile.write([], path + ".tmp/lock.mdb")
        try create()
        expect(!Folder.exists(path + ".tmp"))
        expect(try value("key") == "value")
    }

    @Test func `a creation that fails leaves nothing in the place`() throws {
        let error = failure { () throws(StorageError) in
            try Environment.create(at: path, EnvironmentOptions()) { _ throws(StorageError) in throw .full("no room") }
        }
        expect(error == .full("no room"))
        expect(!Folder.exists(path))
        try create()
        expect(try value("key") == "value")
    }

    @Test func `a transaction that is let go of changes nothing`() throws {
        try create()
        let environment = try Environment.open(at: path, EnvironmentOptions())
        do {
            let transaction = try WriteTransaction(environment)
            try put("lost", "value", transaction)
        }
        let transaction = try WriteTransaction(environment)
        try put("kept", "value", transaction)
        try transaction.commit()
        environment.close()
        expect(try value("lost") == nil)
        expect(try value("kept") == "value")
    }

    @Test func `an environment that nobody else holds stays open for its transactions`() throws {
        try create()
        let transaction = try begin()
        let found = try Array("key".utf8).withBytes { (key) throws(StorageError) in
            try transaction.value(in: .main, at: key).map { String(decoding: $0, as: UTF8.self) }
        }
        expect(found == "value")
    }

    @Test func `lock mdb, which is written through a map, has all its blocks`() throws {
        let lock = path + "/lock.mdb"
        func isWhole() -> Bool {
            var status = stat()
            return stat(lock, &status) == 0 && status.st_size > 0 && status.st_blocks * 512 >= status.st_size
        }
        try create()
        expect(isWhole(), "as it is made")
        unlink(lock)
        let environment = try Environment.open(at: path, EnvironmentOptions())
        expect(isWhole(), "where it was missing")
        environment.close()
        RawFile.write([], lock)
        truncate(lock, 32_896)
        expect(!isWhole(), "as LMDB makes it")
        try Environment.openReadOnly(at: path, EnvironmentOptions()).close()
        expect(isWhole())
    }

    @Test func `the file is not handed to children`() throws {
        try create()
        let environment = try Environment.open(at: path, EnvironmentOptions())
        expect(fcntl(environment.fileDescriptor, F_GETFD) & FD_CLOEXEC != 0)
        environment.close()
    }

    @Test func `a map that has no room in the address space is halved`() throws {
        try create()
        var options = EnvironmentOptions()
        options.mapSize = 1 << 50
        let environment = try Environment.open(at: path, options)
        expect(environment.mapSize < 1 << 50 && environment.mapSize >= 1 << 30)
        environment.close()
    }

    @Test func `a file of any other length is refused before LMDB sees it`() throws {
        try create()
        let environment = try Environment.open(at: path, EnvironmentOptions())
        let transaction = try WriteTransaction(environment)
        for number in 1...100 { try put("key\(number)", String(repeating: "v", count: 500), transaction) }
        try transaction.commit()
        environment.close()
        let whole = RawFile.read(file)
        for count in [0, 1, 100, 4_095, 4_096, 4_200, 8_191, 8_192, whole.count / 2, whole.count - 1] {
            RawFile.write(Array(whole.prefix(count)), file)
            expect(refusal()?.isCorrupt == true, "\(count) bytes")
        }
        RawFile.write(whole, file)
        expect(refusal() == nil)
        RawFile.write(whole + [UInt8](repeating: 0, count: 1 << 20), file)
        expect(refusal() == nil)
    }

    @Test func `a file of zeros, of another program or with broken first pages is refused`() throws {
        try create()
        let whole = RawFile.read(file)
        RawFile.write([UInt8](repeating: 0, count: whole.count), file)
        expect(refusal()?.isCorrupt == true)
        RawFile.write(Array("SQLite format 3\0".utf8) + [UInt8](repeating: 1, count: 20_000), file)
        expect(refusal()?.text.contains("not an LMDB file") == true)
        // Magic, format and page size, on either page; then a last page past the end.
        for offset in [16, 20, 40, 41, 4_112, 4_116, 4_136, 136, 142, 143, 4_096 + 136] {
            var broken = whole
            broken[offset] ^= 0x40
            RawFile.write(broken, file)
            expect(refusal()?.isCorrupt == true, "byte \(offset)")
        }
        unlink(file)
        expect(refusal()?.isCorrupt == true)
    }

    @Test func `the codes of LMDB and of the system become three kinds of error`() {
        for code in [ENOSPC, EDQUOT, EFBIG, -30792] as [Int32] {
            guard case .full = LMDBError.from(code, "testing") else {
                Issue.record("\(code) is not full")
                continue
            }
        }
        for code in [-30796, -30797, -30793, -30794] as [Int32] {
            expect(LMDBError.from(code, "testing").isCorrupt)
        }
        // MDB_PANIC: a meta page could not be written, which says nothing of the others.
        guard case .failed = LMDBError.from(-30795, "testing") else {
            Issue.record("MDB_PANIC is no failure of the disk")
            return
        }
        expect(LMDBError.from(EIO, "testing") == .failed("Input/output error while testing"))
    }

    @Test func `a disk without room is told from one that fails`() {
        let full = open("/dev/full", O_WRONLY)
        RawFile.write([1, 2, 3], folder.path + "/file")
        let roomy = open(folder.path + "/file", O_WRONLY)
        let readable = open(folder.path + "/file", O_RDONLY)
        expect(DiskSpace.isExhausted(full))
        expect(!DiskSpace.isExhausted(roomy))
        expect(!DiskSpace.isExhausted(readable))
        for descriptor in [full, roomy, readable] { close(descriptor) }
        expect(Array(RawFile.read(folder.path + "/file").prefix(4)) == [1, 2, 3, 0])
    }

    // MARK: Helpers

    private func begin() throws -> ReadTransaction {
        try ReadTransaction(try Environment.open(at: path, EnvironmentOptions()))
    }

    private func create() throws {
        try Environment.create(at: path, EnvironmentOptions()) { (transaction) throws(StorageError) in
            try put("key", "value", transaction)
        }
    }

    private func put(
        _ key: String, _ value: String, _ transaction: borrowing WriteTransaction
    ) throws(StorageError) {
        try Array(key.utf8).withBytes { (key) throws(StorageError) in
            try Array(value.utf8).withBytes { (value) throws(StorageError) in
                try transaction.put(value, in: .main, at: key)
            }
        }
    }

    private func value(_ key: String) throws -> String? {
        let environment = try Environment.open(at: path, EnvironmentOptions())
        defer { environment.close() }
        let transaction = try ReadTransaction(environment)
        return try Array(key.utf8).withBytes { (key) throws(StorageError) in
            try transaction.value(in: .main, at: key).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func refusal() -> StorageError? {
        failure { () throws(StorageError) in try Environment.open(at: path, EnvironmentOptions()).close() }
    }
}
