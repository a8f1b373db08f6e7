import LoopSupport
import StoryCore
import StoryFold
import StoryLog
import StoryStorage
import StoryStore
import StoryWire
import TestSupport
import Testing

@testable import StoryServer

/// Long builds of declared models, which write rows first, and make the indexes of them at the end.
struct DeferredIndexTests {
    private static let text = """
        from order
        key note.customer ?? data.customer
        customer: text
        n: number = 0
        tags: set(text, 5)
        last: time
        note customer: text
        history
        index customer, n; index tags, last; sort n, last
        on Placed { note.customer = data.customer; customer = data.customer }
        on Added { n += data.n; tags += data.tag ?? none
          last = event.time }
        on Left { remove }
        """

    private let folder = TemporaryFolder()
    private let bench: StoredLoop
    private let compiled: CompiledDefinition

    init() throws {
        bench = try StoredLoop(folder.store)
        compiled = try CompiledDefinition("orders", number: 1, Definition.read(DeferredIndexTests.text))
        append(0..<5_000)
    }

    private func append(_ numbers: Range<Int>) {
        for number in numbers {
            let line =
                switch number % 7 {
                case 0, 1: #"{"type":"Placed","data":{"customer":"c\#(number % 5_000)"}}"#
                case 2: #"{"type":"Added","data":{"n":"three"}}"#
                case 3 where number % 4 == 0: #"{"type":"Left","data":{}}"#
                default: #"{"type":"Added","data":{"n":\#(number % 13),"tag":"t\#(number % 9)"}}"#
                }
            bench.loop.receive("APPEND order-\(number % 2_000) \(line)\n", from: "a")
        }
        bench.settle()
        expect(bench.loop.hear("a").count == numbers.count)
    }

    /// The digests of the tables that a fold makes with all indexes at each event.
    private func folded() throws -> [ModelDigest] {
        let store = MemoryModelStore()
        var fold = ModelFold(compiled.program, compiled.rows, store: store, events: ProgramEventReader())
        var failure: StorageError?
        try bench.store.log.scan(from: Position(1), through: bench.store.log.head, order: .ascending) { record in
            do throws(StorageError) { try fold.fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        return compiled.schema.tables.map { store.digest(of: $0) }
    }

    private func definition(_ models: CrampedModels) throws -> ServedDefinition {
        let trace = Trace(now: { Instant(milliseconds: 0) }, write: { _ in })
        return try ServedDefinition(
            compiled, ModelFolder(model: "orders", number: 1, tables: compiled.schema.tables), store: models,
            checkpoints: Checkpoints(models, LogFlush(bench.store.log, trace), trace, JobStarter(whenDone: {})),
            events: ProgramEventReader())
    }

    /// Builds a definition, again and again where the disk is full; returns how often it was.
    private func build(_ definition: ServedDefinition, in models: CrampedModels) throws -> Int {
        let log = bench.store.log
        var refusals = 0
        while definition.indexes != .complete || models.checkpointed < log.head {
            do throws(StorageError) {
                try definition.build(try LogView(log), through: log.head, BuildProgress(.zero))
            } catch {
                guard case .full = error else { throw error }
                refusals += 1
            }
            definition.rollBack()
        }
        expect(definition.damage == nil && definition.folded == log.head)
        return refusals
    }

    @Test func `the tables are those of a fold, however often the disk is full or a start has to go on`() throws {
        let expected = try folded()
        expect(expected.allSatisfy { $0.count > 0 })
        let models = CrampedModels(compiled.schema.tables, room: 1_000)
        expect(try build(definition(models), in: models) > 8)
        expect(models.digests == expected)
        let positions = models.disks.map(\.position.value)
        let rows = positions.prefix { $0 > 0 }
        // While indexes are made of the rows, the store is of no use to a start.
        let indexed = positions.dropFirst(rows.count)
        expect(rows.count > 2 && indexed.count > 2 && indexed.dropLast().allSatisfy { $0 == 0 }, "\(positions)")
        expect(positions.last == bench.store.log.head.value)
        for disk in models.disks where disk.position > .zero {
            let again = CrampedModels(compiled.schema.tables, room: 1_000, from: disk)
            _ = try build(definition(again), in: again)
            expect(again.digests == expected, "from \(disk.position.value)")
        }
        bench.stop()
    }

    @Test func `a build that ends early has rows alone, and goes on`() throws {
        let models = CrampedModels(compiled.schema.tables, room: .max)
        let (log, progress) = (bench.store.log, BuildProgress(.zero))
        let begun = try definition(models)
        try begun.foldRows(try LogView(log), through: log.head, progress) { record, _ in
            if record.position == Position(3_000) { progress.cancel() }
        }
        expect(begun.indexes == .deferred && begun.folded == Position(3_000))
        expect(try RowIndexing.isDeferred(in: models))
        expect(try build(begun, in: models) == 1)
        let expected = try folded()
        expect(models.disks.map(\.position) == [log.head] && models.digests == expected)
        bench.stop()
    }

    @Test func `a definition on a thread has the tables of one that was folded in the turns`() throws {
        append(5_000..<12_000)
        let quoted = "\"" + DeferredIndexTests.text.replacing("\n", with: "\\n") + "\""
        expect(bench.settled("DEFINE orders \(quoted)").last?.hasPrefix("+") == true)
        let told = bench.loop.ask("MODELS orders", from: "a").first ?? ""
        expect(told.contains(#""state":"ready""#), "\(told)")
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true)
        let expected = try folded()
        bench.stop()
        let snapshot = try ModelSnapshot(
            at: folder.store + "/own/orders.1", version: ModelVersion.ofPrograms, tables: compiled.schema.tables)
        defer { snapshot.close() }
        expect(try compiled.schema.tables.map { try snapshot.digest(of: [$0]) } == expected)
    }
}
