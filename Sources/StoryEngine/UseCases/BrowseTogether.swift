import StoryCore
import StoryModels

/// `GET` requests for rows as they are now that are answered together, each in its turn.
///
/// A row lies where nobody looked lately. So rows are looked up side by side: nobody's request waits for memory alone.
package struct WantedRows: ~Copyable {
    /// Who asked for a row.
    private struct Item {
        let kind: Kind
        let tag: Tag?
    }

    fileprivate var keys = KeyBatch()
    private var items: [Item] = []

    package init() { items.reserveCapacity(KeyBatch.capacity) }

    package var count: Int { keys.count }
    package var isFull: Bool { keys.isFull }

    package mutating func clear() {
        keys.clear()
        items.removeAll(keepingCapacity: true)
    }

    /// Adds a row, of which nothing is kept but a copy of its ID; there must be room.
    ///
    /// - Parameter table: that of the kind's rows.
    mutating func add(_ table: UInt8, _ kind: Kind, _ id: Identifier, _ tag: Tag?) {
        id.spelling.withUnsafeBytes { keys.addRow($0, in: table) }
        items.append(Item(kind: kind, tag: tag))
    }

    fileprivate func kind(_ index: Int) -> Kind { items[index].kind }
    fileprivate func tag(_ index: Int) -> Tag? { items[index].tag }
    /// Lent as the key is.
    fileprivate func id(_ index: Int) -> Identifier {
        Identifier(trusted: ByteView(borrowing: keys.rowID(index)))
    }
}

/// `GET` of several rows as they are now: looked up side by side, answered one after the other.
struct BrowseTogether {
    let world: World
    let output: any TurnOutput

    /// Answers for each row, in the order in which they were asked for.
    ///
    /// - Parameter begin: is told of each row before its answer is written to the output.
    func answer(_ rows: borrowing WantedRows, _ begin: (_ index: Int) -> Void) {
        let (catalogue, isAllDurable) = (world.models.plan.catalogue, world.head <= output.durable)
        do throws(StorageError) {
            try world.ports.store.withValues(at: rows.keys) { index, value in
                begin(index)
                let layout = catalogue.layout(of: rows.kind(index))
                guard let value, let row = RowView(layout, value) else { return missed(rows, index, value) }
                output.row(row, tag: rows.tag(index), restsOn: isAllDurable ? .zero : row.position)
            }
        } catch {
            refuse(rows, .storage(error), begin)
        }
    }

    /// Answers that each row cannot be given.
    func refuse(_ rows: borrowing WantedRows, _ failure: Failure, _ begin: (_ index: Int) -> Void) {
        for index in 0..<rows.count {
            begin(index)
            output.reply(.failed(failure), tag: rows.tag(index), restsOn: .zero)
        }
    }

    /// Answers for a row that is not there, or damaged.
    private func missed(_ rows: borrowing WantedRows, _ index: Int, _ value: UnsafeRawBufferPointer?) {
        let browse = Browse(
            kind: world.models.schema(rows.kind(index)), id: rows.id(index), world: world, tag: rows.tag(index),
            output: output)
        do throws(StorageError) { try browse.missed(value) } catch { browse.failed(error) }
    }
}
