import StoryCore
import StoryStorage
import StoryWire
import Testing
import TestSupport

@testable import StoryFold
@testable import StoryStore

/// Records of rows that are damaged are errors, or rows; never a trap.
struct RowViewTests {
    private let plan = CataloguePlan(.standard)

    private func records() throws -> [(kind: KindSchema, bytes: [UInt8])] {
        let store = MemoryModelStore()
        let projector = ModelProjector(plan, store: store, json: JSONObjectReader())
        for event in RandomLog(seed: 5, count: 400).events { try event.withRecord { try projector.fold($0) } }
        var records: [(kind: KindSchema, bytes: [UInt8])] = []
        for kind in plan.catalogue.kinds {
            store.walk(kind.rows.number, .all, .ascending, isProving: false) { _, value in
                records.append((kind, Array(value)))
                return value.count < 300
            }
        }
        return records
    }

    /// Reads all that can be read of a record.
    private func read(_ kind: KindSchema, _ bytes: [UInt8]) -> Bool {
        bytes.withBytes { bytes in
            var json = ByteWriter()
            guard let row = RowView(kind.layoutPointer, bytes) else { return false }
            RowJSONEncoder(plan.catalogue).append(row, to: &json)
            let isWritten = !json.isEmpty
            expect(isWritten)
            var key = KeyBuffer()
            for shared in plan[kind.kind].keyParts {
                key.clear()
                _ = key.add(shared.part, of: row)
            }
            for field in kind.fields.indices { _ = (row.has(field), row.text(field), row.bits(field)) }
            return true
        }
    }

    @Test func `a record that is cut or longer is no row`() throws {
        for (kind, bytes) in try records().prefix(60) {
            expect(read(kind, bytes))
            for count in 0..<bytes.count { expect(!read(kind, Array(bytes[..<count]))) }
            expect(!read(kind, bytes + [0]))
        }
    }

    @Test func `no damaged byte is a trap`() throws {
        for (kind, bytes) in try records().prefix(40) {
            for offset in bytes.indices {
                for mask in [UInt8(1), 0x80, 0xFF] {
                    var damaged = bytes
                    damaged[offset] ^= mask
                    let isRow = read(kind, damaged)
                    let layout = kind.layout
                    if (layout.idOffset..<layout.headCount).contains(offset) { expect(!isRow) }
                }
            }
        }
    }

    @Test func `a damaged row that is asked for is an error`() throws {
        let store = MemoryModelStore()
        let story = try require(plan.catalogue.kinds.first { $0.name == "stories" })
        var key = KeyBuffer()
        "a".bytes.withBytes { key.setRowKey($0) }
        [UInt8](repeating: 7, count: 40).withBytes { store.put($0, in: story.rows.number, at: key.bytes) }
        let lookup = RowLookup(store)
        var isThrown = false
        do { _ = try lookup.row(story, "a".id) { _ in } } catch { isThrown = true }
        expect(isThrown)
        let projector = ModelProjector(plan, store: store, json: JSONObjectReader())
        let event = LoggedEvent(
            1, 1, 2, Instant(milliseconds: 0), stream: "story-a", type: "StoryDeleted", key: nil, data: "{}")
        #expect(throws: StorageError.self) { try event.withRecord { try projector.fold($0) } }
    }
}
