import StoryEngine
import StoryWire
import TestSupport

@testable import StoryCore
@testable import StoryFold

/// The rows of a declared model twice: in tables, as a fold writes them, and in an array.
final class DeclaredRows {
    /// A row of the array.
    struct Row {
        let key: [UInt8]
        let number: UInt64
        var changes: UInt64
        var position: Position
        var cells: [Cell?]
    }

    let schema: KindSchema
    let world: EngineHarness
    /// The rows in the order in which they were made.
    private(set) var rows: [Row] = []
    private let plan: CataloguePlan
    var catalogue: Catalogue { plan.catalogue }
    private let reader: RequestReader
    private var projection = RowProjection()
    private var old = KeyBuffer()
    private var new = KeyBuffer()
    private let memory = FoldMemory()
    private var made: UInt64 = 0
    private var position = Position.zero

    init(_ text: String, number: UInt64 = 1) throws {
        let declaration = KindDeclaration(model: "things", try Definition.read(text), number: number)
        let catalogue = try Catalogue([declaration])
        schema = catalogue.kinds[0]
        plan = CataloguePlan(catalogue)
        world = EngineHarness(catalogue: catalogue)
        reader = RequestReader(lineLimit: 1 << 20, try RequestTable(catalogue))
    }

    deinit { memory.free() }

    static func key(_ parts: String...) -> [UInt8] {
        var key: [UInt8] = []
        for part in parts { _ = RowKeyShape.append(part.utf8, to: &key) }
        return key
    }

    /// Makes a row, changes it, or removes it.
    func set(_ key: [UInt8], _ cells: [Cell?]?) throws {
        position = position.next
        let index = rows.firstIndex { $0.key == key }
        guard cells != nil || index != nil else { return }
        old.clear()
        if let index { stored(rows[index], to: &old) }
        if let index, let cells {
            rows[index].cells = cells
            (rows[index].changes, rows[index].position) = (rows[index].changes + 1, position)
        } else if let cells {
            made += 1
            rows.append(Row(key: key, number: made, changes: 1, position: position, cells: cells))
        }
        let row = try index.map { rows[$0] } ?? rows.last.unwrapped
        new.clear()
        if cells != nil { stored(row, to: &new) } else if let index { rows.remove(at: index) }
        try key.withBytes { (key) throws(StorageError) in try change(row, key) }
    }

    private func change(_ row: Row, _ key: UnsafeRawBufferPointer) throws(StorageError) {
        let before = old.count > 0 ? RowView(schema.layoutPointer, old.bytes) : nil
        let after = new.count > 0 ? RowView(schema.layoutPointer, new.bytes) : nil
        let change = RowChange(
            kind: plan[schema.kind], number: row.number, key: key, position: position, before: before, after: after,
            fields: before == nil || after == nil ? .max : fields(before, after))
        try projection.apply(change, to: world.store)
        world.engine.feed.folded(change)
    }

    /// The fields that differ.
    private func fields(_ before: RowView?, _ after: RowView?) -> UInt64 {
        guard let before, let after else { return .max }
        let (one, other) = (values(before), values(after))
        return schema.fields.indices.reduce(0) { one[$1].isSame(as: other[$1]) ? $0 : $0 | 1 << UInt64($1) }
    }

    func values(_ row: RowView) -> [ModelValue] {
        [ModelValue](unsafeUninitializedCapacity: schema.fields.count) { values, count in
            if let start = values.baseAddress { ModelRows(schema).read(row, into: start) }
            count = schema.fields.count
        }
    }

    /// Writes the stored form of a row.
    func stored(_ row: Row, to bytes: inout KeyBuffer) {
        let values = zip(row.cells, schema.layout.slots).map { cell, slot in
            cell?.value(in: memory, slot.storage == .list || slot.storage == .map ? slot.scalar : .text) ?? .missing
        }
        row.key.withUnsafeBytes { key in
            values.withUnsafeBufferPointer { values in
                guard let start = values.baseAddress else { return }
                let row = ModelRow(key: key, changes: row.changes, position: row.position, values: start)
                ModelRows(schema).write(row, number: self.number(of: row), to: &bytes)
            }
        }
    }

    private func number(of row: ModelRow) -> UInt64 { rows.first { $0.key.equals(row.key) }?.number ?? made }

    /// The row as JSON.
    func json(_ row: Row) -> String {
        var json = #"{"id":"\#(id(row.key))","changes":\#(row.changes),"position":\#(row.position.value)"#
        for (field, cell) in zip(schema.fields, row.cells) {
            if let cell { json += ",\"\(field.name)\":\(cell.json)" }
        }
        return json + "}"
    }

    func id(_ key: [UInt8]) -> String {
        key.withUnsafeBytes { String(decoding: schema.keys.text(of: $0), as: UTF8.self) }
    }

    // MARK: Requests

    /// The request of a line, or its refusal.
    func read(_ line: String) -> Result<RequestAction, Failure> {
        let bytes = Array(line.utf8) + [UInt8](repeating: 0, count: LineFramer.slack)
        return bytes.withUnsafeBytes { bytes in
            do throws(RefusedLine) {
                return .success(
                    try reader.read(UnsafeRawBufferPointer(rebasing: bytes[..<line.utf8.count])).action.kept)
            } catch {
                return .failure(error.failure)
            }
        }
    }

    func ask(_ line: String) -> Answer {
        switch read(line) {
        case .success(let action): world.ask(action)
        case .failure(let failure): Answer(effects: [.reply(nil, .failed(failure), restsOn: .zero)])
        }
    }

    /// The JSON of all rows of all pages of a list, or the failure of one of them.
    func list(_ options: String, limit: Int) throws -> [String] {
        var (rows, after) = ([String](), "")
        while true {
            let answer = ask("LIST things \(options) limit=\(limit)\(after)")
            if let failure = answer.failure { throw failure }
            rows += answer.jsonRows(plan.catalogue)
            guard let next = answer.next else { return rows }
            after = " after=" + String(decoding: next, as: UTF8.self)
        }
    }
}

extension Answer {
    /// The rows as JSON.
    func jsonRows(_ catalogue: Catalogue) -> [String] {
        let encoder = RowJSONEncoder(catalogue)
        return effects.compactMap { effect in
            switch effect {
            case .row(_, let row, _), .reply(_, .done(.row(let row)), _):
                String(
                    decoding: ByteWriter.bytes { writer in row.withView { encoder.append($0, to: &writer) } },
                    as: UTF8.self)
            default: nil
            }
        }
    }
}

extension Optional {
    struct Missing: Error {}

    /// The value.
    var unwrapped: Wrapped {
        get throws {
            guard let self else { throw Missing() }
            return self
        }
    }
}
