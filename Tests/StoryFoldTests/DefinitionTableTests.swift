import StoryCore
import StoryFold
import StoryStore
import StoryWire
import TestSupport
import Testing

/// The registry of declared models: a fold of the streams `model-NAME`.
@Suite struct DefinitionTableTests {
    private let store = MemoryModelStore()
    private let projector: ModelProjector
    private let table: DefinitionTable

    init() {
        projector = ModelProjector(CataloguePlan(.standard), store: store, json: JSONObjectReader())
        table = DefinitionTable(store, json: JSONObjectReader())
    }

    /// Folds events of one stream, each given as type and data.
    private func fold(_ events: [(String, String)], of stream: String = "model-orders") throws {
        for (index, event) in events.enumerated() {
            let made = Event(
                position: Position(UInt64(index) + 1), stream: stream.stream, streamNumber: StreamNumber(1),
                version: Version(UInt64(index) + 1), time: Instant(milliseconds: 1_800_000_000_000), by: 0, key: nil,
                meta: nil,
                body: .custom(event.0.type, data: ByteView(Array(event.1.utf8))))
            try made.withRecord { try projector.fold($0) }
        }
    }

    private func model() throws -> DeclaredModel? { try table.model(named: "orders") }

    private func defined(_ number: Int, _ text: String) -> (String, String) {
        ("ModelDefined", #"{"definition":\#(number),"language":1,"text":"\#(text)"}"#)
    }

    private func activated(_ number: Int) -> (String, String) { ("ModelActivated", #"{"definition":\#(number)}"#) }

    @Test func `the newest definition is awaited until it is activated, and the old one answers meanwhile`() throws {
        try fold([defined(1, "a"), activated(1), defined(2, "b")])
        let model = try require(try model())
        expect(model.active?.number == 1 && model.active?.text == Array("a".utf8))
        expect(model.awaited?.number == 2 && model.awaited?.text == Array("b".utf8))
        expect(projector.definitionChanges == 3)
    }

    @Test func `an undefined model has no definition, and its numbers go on`() throws {
        try fold([defined(1, "a"), activated(1), ("ModelUndefined", "{}")])
        let model = try require(try model())
        expect(!model.isDefined && model.active == nil && model.lastNumber == 1)
        expect(try table.defined().isEmpty)
    }

    @Test func `events that are none of the store's own change nothing`() throws {
        try fold([
            defined(1, "a"), defined(1, "again"), activated(7), ("ModelDefined", "[]"), ("Other", #"{"definition":2}"#),
            ("ModelDefined", #"{"definition":-1,"text":"x"}"#), ("ModelDefined", #"{"definition":5}"#),
        ])
        let model = try require(try model())
        expect(model.newest?.text == Array("a".utf8) && model.active == nil)
        expect(projector.definitionChanges == 1)
    }

    @Test func `a stream of another category is no model`() throws {
        try fold([defined(1, "a")], of: "models-orders")
        expect(try model() == nil)
        expect(try table.defined().isEmpty)
    }

    @Test func `a fold stream by stream gives the same table`() throws {
        let events = [defined(1, "a"), activated(1), defined(2, "b"), activated(2), defined(3, "c")]
        try fold(events)
        let other = MemoryModelStore()
        let streams = StreamFold(CataloguePlan(.standard), sink: other, json: JSONObjectReader())
        for (index, event) in events.enumerated() {
            let made = Event(
                position: Position(UInt64(index) + 1), stream: "model-orders".stream, streamNumber: StreamNumber(1),
                version: Version(UInt64(index) + 1), time: Instant(milliseconds: 1_800_000_000_000), by: 0, key: nil,
                meta: nil,
                body: .custom(event.0.type, data: ByteView(Array(event.1.utf8))))
            try made.withRecord { try streams.fold($0) }
        }
        try Array("model-orders".utf8).withBytes { try streams.end($0) }
        expect(other.digest(of: StreamTables.definitions) == store.digest(of: StreamTables.definitions))
        expect(other.entries(of: StreamTables.definitions).count == 1)
    }
}
