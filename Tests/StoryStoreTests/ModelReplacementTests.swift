import Foundation
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryStore

/// Stored models get their name from others, which were built beside them.
struct ModelReplacementTests {
    private static let key = Array("key".utf8)

    /// Models at position 1 whose key has a value, and others at the same position beside them that have another value.
    private static func benches() throws -> (served: ModelBench, built: ModelIdentity) {
        let bench = try ModelBench()
        bench.store.put([1], in: .users, at: key)
        try bench.checkpoint(at: 1)
        let beside = try LMDBModelStore(beside: bench.store.identity)
        beside.put([2], in: .users, at: key)
        let checkpoint = beside.freeze(at: Position(1))
        try checkpoint.run()
        try beside.finish()
        beside.close()
        return (bench, beside.identity)
    }

    private static func names(_ bench: ModelBench) throws -> [String] {
        try Files.names(in: bench.folder.store).filter { $0.hasPrefix("models") }
    }

    @Test func `models are replaced, and the memtables stay`() throws {
        let (bench, _) = try Self.benches()
        bench.store.put([7], in: .users, at: Array("later".utf8))
        bench.store.suspect(.corrupt("a page", at: nil))
        bench.store.isBeingReplaced = true
        let new = try bench.store.identity.install()
        expect(bench.store.value(in: .users, at: Self.key) == [1], "the old ones are read until the loop has the new")
        let old = try bench.store.replace(by: new)
        expect(bench.store.value(in: .users, at: Self.key) == [2])
        expect(bench.store.value(in: .users, at: Array("later".utf8)) == [7])
        expect(bench.store.damage == nil)
        expect(old.environment.path == bench.store.identity.path)
        try bench.store.checkNames()
        try bench.store.identity.removeOthers()
        expect(try Self.names(bench) == ["models"])
        try bench.checkpoint(at: 2)
        try bench.reopen()
        expect(bench.store.renewal == nil && bench.store.checkpointed == Position(2))
        expect(bench.store.value(in: .users, at: Self.key) == [2])
    }

    @Test func `files that are none of the store's stay beside, and stop neither a replacement nor a start`() throws {
        for left in [["models.old.1"], ["models.old.1", "models.old.2"]] {
            let (bench, _) = try Self.benches()
            for name in left.dropLast() {
                try FileManager.default.createDirectory(
                    atPath: bench.folder.store + "/" + name, withIntermediateDirectories: false)
            }
            try Files.write("mine", to: bench.folder.store + "/models/aside")
            bench.store.isBeingReplaced = true
            _ = try bench.store.replace(by: bench.store.identity.install())
            try bench.store.identity.removeOthers()
            expect(try Self.names(bench).sorted() == ["models"] + left)
            expect(try Files.names(in: bench.folder.store + "/" + (left.last ?? "")) == ["aside"])
            try bench.reopen()
            expect(bench.store.value(in: .users, at: Self.key) == [2])
        }
    }

    @Test func `damage that is found in models that were replaced is not that of the new ones`() throws {
        let (bench, _) = try Self.benches()
        bench.store.isBeingReplaced = true
        let new = try bench.store.identity.install()
        bench.store.suspect(.corrupt("a page of the old", at: nil))
        _ = try bench.store.replace(by: new)
        expect(!Files.exists(bench.folder.store + "/models/damaged") && bench.store.damage == nil)
    }

    @Test func `new models that are not as they were written leave the old ones in use`() throws {
        let (bench, built) = try Self.benches()
        let data = built.path + "/data.mdb"
        for page in 0...1 { RawFile.patch(data, at: page * 4_096 + 40, 0x5a) }
        bench.store.isBeingReplaced = true
        let error = failure { () throws(StorageError) in _ = try bench.store.identity.install() }
        expect(error?.isCorrupt == true, "\(String(describing: error))")
        bench.store.isBeingReplaced = false
        try bench.store.checkNames()
        expect(bench.store.value(in: .users, at: Self.key) == [1])
        try bench.checkpoint(at: 1)
        try bench.reopen()
        expect(bench.store.renewal == nil && bench.store.value(in: .users, at: Self.key) == [1])
        expect(try Self.names(bench) == ["models"], "a start removes the others")
    }

    /// A kill can end the process between any two of its steps.
    @Test(arguments: [
        // Being built · built · the old ones have another name · the new ones have the name.
        ["models", "models.new.tmp"], ["models", "models.new"], ["models.old", "models.new"], ["models", "models.old"],
    ])
    func `a start after a kill finds one of the two, and removes the rest`(names: [String]) throws {
        let (bench, built) = try Self.benches()
        bench.store.close()
        let (store, manager) = (bench.folder.store, FileManager.default)
        switch names {
        case ["models", "models.new.tmp"]: try manager.moveItem(atPath: built.path, toPath: built.path + ".tmp")
        case ["models.old", "models.new"]:
            try manager.moveItem(atPath: store + "/models", toPath: store + "/models.old")
        case ["models", "models.old"]:
            try manager.moveItem(atPath: store + "/models", toPath: store + "/models.old")
            try manager.moveItem(atPath: built.path, toPath: store + "/models")
        default: break
        }
        expect(try Self.names(bench) == names.sorted())
        try bench.reopen()
        expect(bench.store.renewal == nil && bench.store.checkpointed == Position(1))
        expect(bench.store.value(in: .users, at: Self.key) == [names == ["models", "models.old"] ? 2 : 1])
        expect(try Self.names(bench) == ["models"])
    }
}
