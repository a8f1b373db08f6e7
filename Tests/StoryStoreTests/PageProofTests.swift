import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryStore

/// Every page of stored models has its checksum, however LMDB came by it.
struct PageProofTests {
    /// Models with a value on pages of its own, which its transaction wrote with some lengths, one after the other.
    private static func stored(_ lengths: [Int]) throws -> (bench: ModelBench, models: String) {
        let bench = try ModelBench()
        bench.store.close()
        let models = bench.folder.store + "/models"
        let environment = try Environment.open(at: models, ModelTables.options(Catalogue.standard.tables))
        let checksums = try KeptChecksums(of: environment)
        try checksums.reserve(pages: 100)
        let transaction = try WriteTransaction(environment)
        let table = try transaction.database("long values")
        for length in lengths {
            let value = [UInt8](repeating: 7, count: length)
            try value.withBytes { (value) throws(StorageError) in
                try [1].withBytes { (key) throws(StorageError) in try transaction.put(value, in: table, at: key) }
            }
        }
        try transaction.commit()
        try checksums.update()
        environment.close()
        return (bench, models)
    }

    @Test(arguments: [[6_000], [6_000, 3_000], [3_000, 6_000], [20_000, 3_000, 9_000]])
    func `models are sound whose values were made shorter in their transaction`(lengths: [Int]) throws {
        let (bench, models) = try Self.stored(lengths)
        #expect(throws: Never.self) { try PageProof.runBeside(models) }
        withExtendedLifetime(bench) {}
    }

    @Test func `a page without a checksum is found`() throws {
        let (bench, models) = try Self.stored([6_000, 3_000])
        let path = PageChecksums(models: models).path
        let bytes = RawFile.read(path)
        let pages = stride(from: PageChecksums.headSize, to: bytes.count, by: 8).filter { start in
            bytes[start..<start + 8].contains { $0 != 0 }
        }
        expect(pages.count > 3)
        for start in pages {
            for offset in 0..<8 { RawFile.patch(path, at: start + offset, 0) }
            let error = failure { () throws(StorageError) in try PageProof.runBeside(models) }
            expect(error?.isCorrupt == true, "\(start)")
            for offset in 0..<8 { RawFile.patch(path, at: start + offset, bytes[start + offset]) }
        }
        #expect(throws: Never.self) { try PageProof.runBeside(models) }
        withExtendedLifetime(bench) {}
    }
}
