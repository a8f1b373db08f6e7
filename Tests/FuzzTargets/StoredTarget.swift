import StoryCore
import StoryFold
import StoryStore
import StoryStorage
import StoryWire
import TestSupport

/// What the stored models have: rows and blocks of keys. Any bytes are those or damage, and keys are read as written.
///
/// `which 1 · the bytes`.
final class StoredTarget: FuzzTarget {
    private let plan = CataloguePlan(.standard)
    private let store = MemoryModelStore()
    private let json = JSONObjectReader()

    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        switch input.byte() % 3 {
        case 0: readBlock(input.rest)
        case 1: writeBlock(&input)
        default: foldRow(&input)
        }
    }

    // MARK: Blocks of keys

    private func readBlock(_ bytes: UnsafeRawBufferPointer) {
        let copy = ExactCopy(bytes)
        var keys = KeyList()
        do throws(StorageError) {
            let block = try KeyBlock(copy.whole)
            for index in 0..<block.segmentCount { try StoredTarget.read(block, index, &keys) }
            try "k".bytes.withBytes { (key) throws(StorageError) in
                hold(try block.segment(at: key) < block.segmentCount, "a segment is one of the block's")
                hold(try block.segment(before: key) < block.segmentCount, "a segment is one of the block's")
            }
        } catch {
            guard case .corrupt = error else { fatalError("a block that is read fails: \(error)") }
        }
    }

    private static func read(_ block: KeyBlock, _ index: Int, _ keys: inout KeyList) throws(StorageError) {
        try block.decode(index, into: &keys)
        hold(keys.count > 0, "a segment has a key")
        hold(try block.firstKey(of: index).equals(keys[0]), "a segment begins with its first key")
    }

    private func writeBlock(_ input: inout FuzzInput) {
        var given = Set<[UInt8]>()
        while !input.isEmpty, given.count < 100 {
            let shared = Int(input.byte())
            let key = [UInt8](repeating: 0x61, count: shared) + Array(input.take(Int(input.byte() & 31) + 1))
            // A key has a byte, and a block has what one page of LMDB has room for.
            if !key.isEmpty { given.insert(key) }
        }
        let sorted = given.sorted { Bytes.precedes($0, $1) }
        guard !sorted.isEmpty else { return }
        var list = KeyList()
        var segments = KeySegments()
        var written = KeyBuffer()
        for key in sorted { key.withUnsafeBytes { list.add($0) } }
        segments.add(list, 0..<list.count)
        segments.write(0..<segments.count, to: &written)
        let copy = ExactCopy(written.bytes)
        var found: [[UInt8]] = []
        var keys = KeyList()
        do throws(StorageError) {
            let block = try KeyBlock(copy.whole)
            for index in 0..<block.segmentCount {
                try StoredTarget.read(block, index, &keys)
                for place in 0..<keys.count { found.append(Array(keys[place])) }
            }
        } catch { fatalError("keys that were written are read: \(error)") }
        hold(found == sorted, "keys are read as they were written")
    }

    // MARK: Rows

    /// Folds two events into a row that is any bytes: what is no row is said to be damaged.
    private func foldRow(_ input: inout FuzzInput) {
        let kind = plan[input.pick(plan.catalogue.kinds).kind]
        let (type, last) = (input.pick(kind.schema.events), input.pick(kind.schema.events))
        let row = ExactCopy(input.rest)
        guard let view = RowView(kind.schema.layoutPointer, row.whole) else {
            return fold(kind, [type], row.whole, isRow: false)
        }
        for (index, field) in kind.schema.fields.enumerated() {
            hold(view.text(index).reduce(0) { $0 | Int($1) } < 256, "\(field.name) can be read")
            hold(view.bits(index) >= 0 && (view.has(index) || true), "\(field.name) can be read")
        }
        fold(kind, [type, last], row.whole, isRow: true)
    }

    private func fold(_ kind: KindPlan, _ types: [EventSchema], _ row: UnsafeRawBufferPointer, isRow: Bool) {
        store.removeAll()
        var key = KeyBuffer()
        "u1".bytes.withUnsafeBytes { key.setRowKey($0) }
        store.put(row, in: kind.rows, at: key.bytes)
        let projector = ModelProjector(plan, store: store, json: json)
        for (index, type) in types.enumerated() {
            let event = Event(
                position: Position(UInt64(index) + 2), stream: "\(kind.schema.category)-u1".stream,
                streamNumber: StreamNumber(1), version: Version(UInt64(index) + 2), time: Instant(milliseconds: 5),
                by: 1, key: nil, meta: nil, body: .custom(type.type.type, data: FoldTarget.everything))
            event.withRecord { record in
                do throws(StorageError) { try projector.foldRow(record, of: projector.kind(of: record)) } catch {
                    hold(!isRow && error.isCorrupt, "a row that is one takes an event: \(error)")
                }
            }
        }
    }
}
