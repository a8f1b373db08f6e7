import Foundation
import StoryCore
import StoryLog
import StoryFold
import StoryStore
@testable import StoryOffline
import StoryStorage
import StoryWire
import TestSupport
import Testing

/// The stores of declared models, compared with the log, folded.
@Suite struct DeclaredReplayTests {
    private let bench: DirectoryBench
    /// Makes the events after the log's last one.
    private let maker: EventMaker
    /// The event that would undefine the model.
    private let undefined: Event

    init() throws {
        bench = try DirectoryBench()
        var maker = EventMaker()
        let text = #"from order\nn: number\nindex n\non Placed { n = data.n }"#
        var events = (1...40).map { maker.event("order-\($0 % 10)", .noted("Placed", #"{"n":\#($0)}"#)) }
        events.append(
            maker.event("model-orders", .noted("ModelDefined", #"{"definition":1,"language":1,"text":"\#(text)"}"#)))
        events.append(maker.event("model-orders", .noted("ModelActivated", #"{"definition":1}"#)))
        events += (1...18).map { maker.event("order-\($0)", .noted("Placed", #"{"n":\#($0 % 4)}"#)) }
        self.maker = maker
        undefined = maker.event("model-orders", .noted("ModelUndefined", "{}"))
        try bench.write(events)
        try bench.foldAll()
    }

    /// Folds the log into the store of the model, changes that, and stores it.
    private func store(through last: Position, _ change: (LMDBModelStore) throws -> Void = { _ in }) throws {
        try bench.serve { log, _ in
            let path = bench.path + "/own/orders.1"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let definitions = DefinitionTable(MemoryModelStore(), json: JSONObjectReader())
            try definitions.fold(log, from: Position(1), through: log.head)
            let model = try require(definitions.stored(in: DataDirectory(bench.path, for: .reading)).first)
            let store = try LMDBModelStore(
                at: path, ModelOwner(identity: log.storedIdentity, head: log.head), version: ModelVersion.ofPrograms,
                tables: model.schema.tables)
            defer { store.close() }
            var fold = ModelFold(
                model.program, model.rows, store: store, events: ProgramEventReader())
            var failure: StorageError?
            try log.scan(from: Position(1), through: last, order: .ascending) { record in
                do throws(StorageError) { try fold.fold(record) } catch { failure = error }
                return failure == nil
            }
            if let failure { throw failure }
            try change(store)
            try store.writeDown(at: last)
        }
    }

    private func entry() throws -> ReplayReport.ModelDigest? {
        try bench.replay { $0.isVerifying = true }.models.first { $0.model == "orders" }
    }

    @Test(arguments: [(60, 19), (45, 10), (7, 7)])
    func `a store is compared at the position that it is folded up to`(position: UInt64, rows: UInt64) throws {
        try store(through: Position(position))
        let entry = try require(try entry())
        expect(entry.rows == rows && entry.stored == entry.digest && entry.difference == nil)
        let report = try bench.replay {
            $0.isVerifying = true
            $0.models = ["orders"]
        }
        expect(report.isAlike && report.models == [entry])
    }

    @Test(arguments: [40, 41, 42, 51, 60])
    func `a replay to a position folds the models that answer there`(end: UInt64) throws {
        let asked = try bench.replay {
            $0.through = .position(Position(end))
            $0.models = ["orders"]
        }
        // The definition is in event 41, and answers from 42 on.
        guard end >= 42 else { return expect(asked.models.isEmpty) }
        let entry = try require(asked.models.first)
        try store(through: Position(end))
        let stored = try self.entry()
        expect(asked.models.count == 1 && entry.stored == nil && entry.digest == stored?.stored)
        expect(entry.rows == stored?.rows && entry.rows > 9)
        let all = try bench.replay { $0.through = .position(Position(end)) }
        expect(all.models.map(\.model) == Catalogue.standard.models + ["orders"] && all.models.last == entry)
    }

    @Test(arguments: [ProgramTables.notes, ProgramTables.index(0)])
    func `an entry that the log does not make is named`(table: ModelTable) throws {
        try store(through: Position(60)) { $0.put([].lent, in: table.number, at: "abcdefgh".bytes.lent) }
        let entry = try require(try entry())
        expect(entry.stored != entry.digest)
        expect(entry.difference?.hasPrefix("\(table.name) ") == true, "\(entry.difference ?? "")")
        expect(entry.difference?.hasSuffix(" is stored, but the log does not make it") == true)
    }

    @Test func `nothing is said of a model without a store, or one that is no longer defined`() throws {
        expect(try entry() == nil)
        try store(through: Position(60))
        try bench.write([undefined])
        expect(try entry() == nil)
        expect(try bench.replay { _ in }.models.map(\.model) == Catalogue.standard.models)
    }

    @Test(arguments: [("order", false), ("photo", true)])
    func `a store that reads events which are being erased is not compared`(
        category: String, isCompared: Bool
    ) throws {
        try store(through: Position(60)) { $0.put([].lent, in: ProgramTables.notes.number, at: "abcdefgh".bytes.lent) }
        let id = try bench.serve { log, _ in log.identity.id }
        var maker = self.maker
        let data =
            #"{"target":"events/\#(category)-3","labels":"keep","reason":"tried","log":"\#(id)","events":1,"#
            + #""categories":["\#(category)"],"positions":[[3,3]]}"#
        try bench.write([maker.event("erasure-1", .noted("Erased", data))])
        expect(try (entry() != nil) == isCompared)
    }

    @Test func `a store of another version or log is not compared`() throws {
        try store(through: Position(60))
        let files = FileManager.default
        let other = try DirectoryBench()
        try other.write(Everything.events(80))
        try other.foldAll()
        let path = bench.path + "/own/orders.1"
        try files.removeItem(atPath: path)
        try files.copyItem(atPath: other.path + "/models", toPath: path)
        #expect(throws: ReplayError.self) { try entry() }
    }
}
