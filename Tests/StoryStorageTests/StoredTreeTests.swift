import Glibc
import StoryCore
import TestSupport
import Testing

@testable import StoryStorage

/// Looking up in LMDB's trees without LMDB.
struct StoredTreeTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/env" }

    private func environment() throws -> Environment {
        var options = EnvironmentOptions(databases: 2)
        options.isWalkedFirst = false
        if !Folder.exists(path) { try Environment.create(at: path, options) { _ throws(StorageError) in } }
        return try Environment.open(at: path, options)
    }

    /// Puts so many entries whose keys and values are of any length into the table `t`.
    private func fill(_ environment: Environment, _ count: Int, _ random: inout SplitMix64) throws -> [[UInt8]: [UInt8]]
    {
        var entries: [[UInt8]: [UInt8]] = [:]
        let transaction = try WriteTransaction(environment)
        let database = try transaction.database("t")
        for _ in 0..<count {
            let key = key(&random)
            let size = [0, 1, 9, 60, 400, 1_990, 2_100, 9_000][
                Int.random(in: 0..<(random.oneIn(20) ? 8 : 5), using: &random)]
            let value = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            entries[key] = value
            try key.withBytes { (key) throws(StorageError) in
                try value.withBytes { (value) throws(StorageError) in
                    try transaction.put(value, in: database, at: key)
                }
            }
        }
        try transaction.commit()
        return entries
    }

    /// Some are beginnings of others, some shorter than a word.
    private func key(_ random: inout SplitMix64) -> [UInt8] {
        let count = random.oneIn(30) ? Int.random(in: 1...511, using: &random) : Int.random(in: 1...12, using: &random)
        return (0..<count).map { _ in random.oneIn(3) ? 0x61 : UInt8.random(in: 0...255, using: &random) }
    }

    private func value(_ tree: StoredTree, _ key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try key.withBytes { (key) throws(StorageError) in try tree.value(at: key).map { Array($0) } }
    }

    @Test(arguments: [0, 1, 40, 3_000, 12_000]) func `it finds what LMDB finds`(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        let environment = try environment()
        defer { environment.close() }
        let entries = try fill(environment, count, &random)
        let transaction = try ReadTransaction(environment)
        let found = try transaction.tree(of: "t", in: environment)
        let tree = try require(found)
        var keys = Array(entries.keys)
        for _ in 0..<2_000 { keys.append(key(&random)) }
        let wrong = try keys.count { key in try value(tree, key) != entries[key] }
        expect(wrong == 0)
        let none = try transaction.tree(of: "another", in: environment) == nil
        expect(none)
    }

    private func areAlike(_ one: KeyValue?, _ two: KeyValue?) -> Bool {
        guard let one, let two else { return one == nil && two == nil }
        return one.key.equals(two.key) && one.value.equals(two.value)
    }

    @Test(arguments: [0, 1, 40, 3_000]) func `its cursor moves as that of LMDB`(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count) + 1)
        let environment = try environment()
        defer { environment.close() }
        var keys = Array(try fill(environment, count, &random).keys)
        for _ in 0..<500 { keys.append(key(&random)) }
        let transaction = try ReadTransaction(environment)
        let found = try transaction.tree(of: "t", in: environment)
        let opened = try transaction.database("t")
        let database = try require(opened)
        var cursor = TreeCursor(try require(found))
        var wrong = 0
        try transaction.withCursor(in: database) { (other) throws(StorageError) in
            for key in keys.shuffled(using: &random).prefix(1_500) {
                let move = Int.random(in: 0..<5, using: &random)
                try key.withBytes { (key) throws(StorageError) in
                    let isAlike =
                        switch move {
                        case 0: areAlike(try cursor.first(), try other.first())
                        case 1: areAlike(try cursor.last(), try other.last())
                        case 2: areAlike(try cursor.seek(key), try other.seek(key))
                        case 3: areAlike(try cursor.seek(before: key), try other.seek(before: key))
                        default: areAlike(try cursor.seek(atOrBefore: key), try other.seek(atOrBefore: key))
                        }
                    wrong += isAlike ? 0 : 1
                }
                guard other.keyPointer != nil else { continue }
                let isForward = random.oneIn(2)
                for _ in 0..<Int.random(in: 0..<200, using: &random) {
                    let two = try isForward ? other.next() : other.previous()
                    wrong += areAlike(try isForward ? cursor.next() : cursor.previous(), two) ? 0 : 1
                    if two == nil { break }
                }
            }
        }
        expect(wrong == 0)
    }

    @Test func `a view keeps its tree while others are stored`() throws {
        var random = SplitMix64(seed: 7)
        let environment = try environment()
        defer { environment.close() }
        let before = try fill(environment, 500, &random)
        let transaction = try ReadTransaction(environment)
        let found = try transaction.tree(of: "t", in: environment)
        let tree = try require(found)
        for _ in 0..<5 { _ = try fill(environment, 500, &random) }
        let wrong = try before.count { (key, value) in try self.value(tree, key) != value }
        expect(wrong == 0)
    }

    @Test func `of pages that are damaged nothing is read that is not on them`() throws {
        var random = SplitMix64(seed: 8)
        var environment = try environment()
        let entries = try fill(environment, 3_000, &random)
        environment.close()
        let file = path + "/data.mdb"
        let whole = RawFile.read(file)
        // Every page but the first two and those that name the tables.
        let pages = (2..<whole.count / 4_096).map { $0 * 4_096..<($0 + 1) * 4_096 }
            .filter { !whole[$0].containsName }
        var (refused, found) = (0, 0)
        for _ in 0..<20 {
            var damaged = whole
            for page in pages {
                for _ in 0..<3 {
                    let offset = Int.random(in: 0..<(random.oneIn(2) ? 64 : 4_096), using: &random)
                    damaged[page.lowerBound + offset] = UInt8.random(in: 0...255, using: &random)
                }
            }
            RawFile.write(damaged, file)
            environment = try self.environment()
            let transaction = try ReadTransaction(environment)
            let opened = try transaction.tree(of: "t", in: environment)
            let tree = try require(opened)
            for key in entries.keys.prefix(300) {
                do throws(StorageError) {
                    if try value(tree, key) != nil { found += 1 }
                } catch {
                    refused += error.isCorrupt ? 1 : 0
                }
            }
            _ = consume transaction
            environment.close()
        }
        expect(refused > 300 && found > 300, "\(refused) and \(found)")
    }
}

extension ArraySlice<UInt8> {
    /// True where a node has the key `t` and a tree.
    fileprivate var containsName: Bool {
        indices.dropLast(9).contains { index in
            // Size of the value, flags, size of the key, key.
            self[index] == 48 && self[index + 1] == 0 && self[index + 4] == 2 && self[index + 6] == 1
                && self[index + 8] == 0x74
        }
    }
}

extension Cursor {
    /// Moves to the last entry before a key, as `TreeCursor` does; nil when there is none.
    fileprivate func seek(before key: UnsafeRawBufferPointer) throws(StorageError) -> KeyValue? {
        try seek(key) == nil ? try last() : try previous()
    }
}
