import StoryCore
import StoryFold
import StoryStore

/// A served definition with the memtables of a long fold in front of its store.
final class StagedDefinition {
    let definition: ServedDefinition
    let tables: StagedTables
    private var fold: ModelFold
    /// True while an event is folded in steps.
    private var isUnderWay = false
    /// The number of rows whose entries are written, and the work of looking them up.
    private var (indexed, looked) = (0, Work.zero)
    /// A row that was written: its key, and the row before and after the fold.
    private var key = KeyBuffer()
    private var before = KeyBuffer()
    private var after = KeyBuffer()

    /// Stages a definition.
    ///
    /// - Parameter events: a reader that nobody else uses while an event is folded.
    init(_ definition: ServedDefinition, _ events: any EventReading) {
        self.definition = definition
        tables = StagedTables(definition.store)
        fold = ModelFold(definition.compiled.program, definition.rowPlan, store: tables, events: events)
        fold.defersIndexes = true
    }

    /// The work that was done.
    var spent: Work { fold.spent + looked }
    /// The number of rows and notes that it has changed.
    var changeCount: Int { fold.changeCount }

    /// Goes on with an event, from its beginning where that was not begun.
    ///
    /// - Returns: false where it is to be gone on with. A definition whose store fails is gone on with no more.
    func advance(_ record: EventRecord, within limit: Work) -> Bool {
        guard definition.isSound else { return true }
        do throws(StorageError) {
            if !isUnderWay {
                guard try fold.begin(record) else { return true }
                isUnderWay = true
            }
            guard try fold.advance(within: limit) != .more else { return false }
        } catch {
            definition.failed(error)
        }
        isUnderWay = false
        return true
    }

    /// Writes the numbers, the entries of the indexes and the counts of the rows once all events are folded: a row that
    /// many events change has them once.
    ///
    /// - Returns: false where rows are left.
    func index(within limit: Work) -> Bool {
        guard definition.isSound else { return true }
        let began = spent
        let rows = tables.count(of: definition.rowPlan.rows)
        do throws(StorageError) {
            while indexed < rows {
                guard spent - began < limit else { return false }
                if let change = try change(indexed, last: .zero) { try fold.writeEntries(of: change) }
                looked += .row
                indexed += 1
            }
        } catch {
            definition.failed(error)
        }
        return true
    }

    /// The number of rows that were written, once all have their entries.
    var rowCount: Int { indexed }

    /// Joins the memtables to the store.
    ///
    /// - Parameters:
    ///   - last: the last event of the fold.
    ///   - isFollowed: true where the changes of the rows are wanted.
    /// - Returns: the changes of the rows, each row once, where they are wanted.
    func join(through last: Position, isFollowed: Bool) -> [StagedChange] {
        guard definition.isSound else { return [] }
        var changes: [StagedChange] = []
        do throws(StorageError) {
            for number in 0..<(isFollowed ? indexed : 0) {
                if let change = try change(number, last: last) { changes.append(StagedChange(change)) }
            }
            try definition.join(tables, through: last)
        } catch {
            definition.failed(error)
            return []
        }
        return changes
    }

    /// Returns the change of a row that was written, by the order of the first writes; nil where it was made and removed.
    ///
    /// - Parameter last: the position of a row that was removed.
    /// - Returns: the change, valid until the next call.
    private func change(_ number: Int, last: Position) throws(StorageError) -> RowChange? {
        let kind = definition.rowPlan
        key.clear()
        before.clear()
        after.clear()
        let isThere = tables.withEntry(number, of: kind.rows) { key, value in
            self.key.add(key)
            if let value { after.add(value) }
            return value != nil
        }
        let wasThere = try definition.store.withValue(kind.rows, at: key.bytes) { before.add($0) }
        let old = wasThere ? RowView(kind.layout, before.bytes) : nil
        let new = isThere == true ? RowView(kind.layout, after.bytes) : nil
        guard let row = new ?? old else { return nil }
        return RowChange(
            kind: kind, number: row.number,
            key: UnsafeRawBufferPointer(rebasing: key.bytes.dropFirst(KeyBuffer.rowKeyHead)),
            position: new?.position ?? last, before: old, after: new, fields: .max)
    }
}

/// The change of a row by all events of a long fold.
struct StagedChange {
    private let kind: KindPlan
    private let number: UInt64
    private let key: [UInt8]
    /// The last event that changed the row.
    let position: Position
    private let before: RowCopy?
    private let after: RowCopy?

    /// Copies a change.
    init(_ change: RowChange) {
        (kind, number, position) = (change.kind, change.number, change.position)
        key = [UInt8](change.key)
        before = change.before.map { RowCopy($0) }
        after = change.after.map { RowCopy($0) }
    }

    /// Notes the change in a feed.
    func note(in feed: ChangeFeed) {
        key.withBytes { key in
            func note(_ before: RowView?, _ after: RowView?) {
                feed.folded(
                    RowChange(
                        kind: kind, number: number, key: key, position: position, before: before, after: after,
                        fields: .max))
            }
            switch (before, after) {
            case (nil, nil): break
            case (let before?, nil): before.withView { note($0, nil) }
            case (nil, let after?): after.withView { note(nil, $0) }
            case (let before?, let after?): before.withView { before in after.withView { note(before, $0) } }
            }
        }
    }
}
