import LoopSupport
import StoryCore
import StoryFold
import StoryStore
import StoryWire
import TestSupport

/// Laws that need no model: a store that was served, one that is built, one whose indexes are made at the end, and one that
/// is replayed are equal byte for byte; a model names what no event had as a dry run does; and without the events that do not fit the rows are the same.
struct Laws {
    private let newest: Redefinition
    private let loop: ModelLoop
    private let plain: PlainModel

    init(_ newest: Redefinition, _ loop: ModelLoop, _ plain: PlainModel) {
        (self.newest, self.loop, self.plain) = (newest, loop, plain)
    }

    func check() throws {
        let definition = try Definition.read(newest.text)
        let plan = CataloguePlan(try Catalogue([KindDeclaration(model: "tried", definition, number: 1)]))
        let kind = plan[Kind(number: 0)]
        let replayed = try folded(definition, kind, defersIndexes: false)
        let indexed = try folded(definition, kind, defersIndexes: true)
        var indexing = RowIndexing(kind, in: indexed)
        // A pass may end early and go on.
        while try !indexing.run({ _ in false }) {}
        let late = loop.ask("DEFINE late \(PlainValue.quoted(Array(newest.text.utf8)))")
        guard late.last?.hasPrefix("+") == true else { throw Difference("DEFINE late: \(late)") }
        var stores: [(name: String, store: any TableStore)] = [("indexes at the end", indexed)]
        for name in ["tried.\(newest.number)", "late.1"] {
            guard let store = loop.modelFolders.stores[name] else { throw Difference("\(name) has no store") }
            stores.append((name, store))
        }
        for (name, store) in stores { try compare(store, name, with: replayed, kind.schema.tables) }
        try checkNever(definition)
        try checkMisfits(definition)
    }

    private func compare(
        _ store: any TableStore, _ name: String, with replayed: MemoryModelStore, _ tables: [ModelTable]
    ) throws {
        for table in tables {
            let expected = replayed.entries(of: table)
            var entries: [(key: [UInt8], value: [UInt8])] = []
            try store.walk(table.number, .all, .ascending) { key, value in
                entries.append((Array(key), Array(value)))
                return true
            }
            try Difference.check(entries.map(\.key), expected.map(\.key), "keys of \(table.name) of \(name)")
            try Difference.check(entries.map(\.value), expected.map(\.value), "values of \(table.name) of \(name)")
        }
    }

    /// Returns a fold of the log, with or without the indexes.
    private func folded(_ definition: Definition, _ kind: KindPlan, defersIndexes: Bool) throws -> MemoryModelStore {
        let store = MemoryModelStore()
        var fold = ModelFold(definition.program, kind, store: store, events: ProgramEventReader())
        fold.defersIndexes = defersIndexes
        var failure: (any Error)?
        try loop.log.scan(from: Position(1), through: loop.log.head, order: .ascending) { record in
            do { try fold.fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        return store
    }

    private func checkNever(_ definition: Definition) throws {
        var never = NeverSeen(definition.program, events: ProgramEventReader())
        try loop.log.scan(from: Position(1), through: loop.log.head, order: .ascending) { record in
            never.see(record)
            return true
        }
        let names = never.names.map { #"{"line":\#($0.line),"name":\#(PlainValue.quoted(Array($0.name.utf8)))"# }
        for model in ["tried", "late"] {
            let line = loop.ask("MODELS \(model)").first ?? ""
            let start = line.firstRange(of: #""never":"#)?.upperBound ?? line.endIndex
            let told = line[start...].replacing(#/,"nearest":"[^"]*"/#, with: "")
            try Difference.check(told, "[" + names.map { $0 + "}" }.joined(separator: ",") + "]}", "never of \(model)")
        }
    }

    private func checkMisfits(_ definition: Definition) throws {
        let misfits = Set(plain.misfits.map(\.position))
        let (all, fitting) = (MemoryModel(definition), MemoryModel(definition))
        let paths = EventPaths([definition.program])
        let reader = ProgramEventReader()
        try loop.log.scan(from: Position(1), through: loop.log.head, order: .ascending) { record in
            let type = record.json.slice(record.type.lowerBound, count: record.type.count)
            let category = record.streamName.prefix { $0 != 0x2D }
            guard definition.program.reads(category: UnsafeRawBufferPointer(rebasing: category)),
                definition.program.hasRule(type: type), let event = reader.read(record, paths)
            else { return true }
            all.fold(event)
            if !misfits.contains(record.position.value) { fitting.fold(event) }
            return true
        }
        let rows = plain.ordered.map { plain.json($0.key) }
        try Difference.check(all.rows.map(all.json), rows, "rows in memory")
        try Difference.check(fitting.rows.map(fitting.json), rows, "rows without misfits")
        try Difference.check(fitting.misfitCount, 0, "misfits without misfits")
        try Difference.check(Set(fitting.notes.keys), Set(plain.memory.keys), "notes")
    }
}
