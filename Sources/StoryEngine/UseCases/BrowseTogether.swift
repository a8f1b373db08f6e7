import StoryCore
import StoryFold

/// A batch of `GET` requests for present rows that are answered together, in their order.
///
/// A row is rarely in the cache, so the rows are looked up interleaved, and their cache misses overlap.
struct WantedRows: ~Copyable {
    /// The request for a row.
    private struct Item {
        let kind: Kind
        let tag: Tag?
    }

    fileprivate var keys = KeyBatch()
    private var items: [Item] = []

    /// Creates an empty batch.
    init() { items.reserveCapacity(KeyBatch.capacity) }

    /// The number of rows.
    fileprivate var count: Int { keys.count }
    /// True if there is no room for another row.
    var isFull: Bool { keys.isFull }

    /// Removes all rows.
    mutating func clear() {
        keys.clear()
        items.removeAll(keepingCapacity: true)
    }

    /// Adds a row and copies its key; there must be room.
    ///
    /// - Parameter table: the table of the kind's rows.
    mutating func add(_ table: UInt8, _ kind: Kind, _ key: RowKey, _ tag: Tag?) {
        key.spelling.withUnsafeBytes { keys.addRow($0, in: table) }
        items.append(Item(kind: kind, tag: tag))
    }

    fileprivate func kind(_ index: Int) -> Kind { items[index].kind }
    fileprivate func tag(_ index: Int) -> Tag? { items[index].tag }
    /// Returns the key of a row; it is valid until the batch changes.
    fileprivate func key(_ index: Int) -> RowKey {
        RowKey(trusted: ByteView(borrowing: keys.rowKey(index)))
    }
}

/// `GET` of several present rows: looked up interleaved, answered one after the other.
struct BrowseTogether {
    let world: World
    /// The store of the rows.
    let store: any TableStore
    /// The last event that the models have.
    let head: Position
    let output: any TurnOutput

    /// Answers each row, in the order of the requests.
    func answer(_ rows: borrowing WantedRows) {
        let (catalogue, isAllDurable) = (world.catalogue, head <= output.durable)
        do throws(StorageError) {
            try store.withValues(at: rows.keys) { index, value in
                output.rowBegins(index)
                guard let layout = catalogue.layout(of: rows.kind(index)) else {
                    // The kind was removed after the request was read.
                    return output.reply(.failed(.removedKind), tag: rows.tag(index), restsOn: head)
                }
                guard let value, let row = RowView(layout, value) else { return missed(rows, index, value) }
                output.row(row, tag: rows.tag(index), restsOn: isAllDurable ? .zero : basis(of: row, rows.kind(index)))
            }
        } catch {
            for index in 0..<rows.count {
                output.rowBegins(index)
                output.reply(.failed(.storage(error)), tag: rows.tag(index), restsOn: .zero)
            }
        }
    }

    /// Returns the last event that a row's answer rests on. Which definition answers for a declared model depends on the
    /// log's last events.
    private func basis(of row: RowView, _ kind: Kind) -> Position {
        world.areRowsStoredTogether(kind) ? row.position : head
    }

    /// Answers for a row that is not there, or is damaged.
    private func missed(_ rows: borrowing WantedRows, _ index: Int, _ value: UnsafeRawBufferPointer?) {
        let browse = Browse(
            kind: world.schema(rows.kind(index)), key: rows.key(index), world: world, head: head,
            tag: rows.tag(index), output: output)
        do throws(StorageError) { try browse.missed(value) } catch { browse.failed(error) }
    }
}
