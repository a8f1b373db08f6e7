package import StoryCore

/// The cursors of a store: a table that is folded from the streams `cursor-NAME` and from the member `cursor` of events, and
/// one of the events that were set aside.
package final class CursorTable {
    private let store: any TableStore
    private let json: any JSONReading
    private var key = KeyBuffer(capacity: CursorTable.keyCount)
    private var value = KeyBuffer(capacity: 512)

    /// The last position that six bytes hold.
    private static let lastPosition: UInt64 = 1 << 48 - 1
    /// The length of the longest key of a parked event and of a byte that ends a range, in bytes.
    private static let keyCount = Identifier.length.upperBound + 9

    /// Creates the registry over the tables of a store.
    package init(_ store: any TableStore, json: any JSONReading) {
        // A write rests on nearly every read.
        (self.store, self.json) = (ProvenTables(store), json)
    }

    // MARK: Reading

    /// Returns a cursor; nil where none of this name was made.
    ///
    /// - Throws: `.corrupt` for a damaged entry; otherwise any read error of the store.
    package func cursor(named name: UnsafeRawBufferPointer) throws(StorageError) -> StoredCursor? {
        guard Identifier.length.contains(name.count) else { return nil }
        var cursor: StoredCursor?
        let isThere = try store.withValue(StreamTables.cursors.number, at: name) { cursor = StoredCursor($0) }
        if isThere, cursor == nil { throw CursorTable.damaged }
        return cursor
    }

    /// Returns a cursor, as `cursor(named:)` does.
    ///
    /// - Throws: as `cursor(named:)`.
    package func cursor(named name: Identifier) throws(StorageError) -> StoredCursor? {
        try name.spelling.withUnsafeBytes { (name) throws(StorageError) in try cursor(named: name) }
    }

    /// Returns the cursors in the order of their names' bytes, but for those that were dropped.
    ///
    /// - Throws: as `cursor(named:)`.
    package func all() throws(StorageError) -> [(name: Identifier, cursor: StoredCursor)] {
        var cursors: [(name: Identifier, cursor: StoredCursor)] = []
        var isDamaged = false
        try store.walk(StreamTables.cursors.number, .all, .ascending) { name, value in
            guard let cursor = StoredCursor(value) else {
                isDamaged = true
                return false
            }
            if !cursor.isDropped { cursors.append((Identifier(trusted: [UInt8](name)), cursor)) }
            return true
        }
        if isDamaged { throw CursorTable.damaged }
        return cursors
    }

    /// Returns a share of a cursor; nil where there is none.
    ///
    /// - Throws: any read error of the store.
    package func share(_ share: CursorShare) throws(StorageError) -> StoredCursor.Share? {
        var found: StoredCursor.Share?
        _ = try share.cursor.spelling.withUnsafeBytes { (name) throws(StorageError) in
            try store.withValue(StreamTables.cursors.number, at: name) {
                found = StoredCursor.share(share.number, in: $0)
            }
        }
        return found
    }

    /// Visits the parked events of a cursor after a position, in the order of the log, until `visit` returns false.
    ///
    /// - Throws: `.corrupt` for a damaged entry; otherwise any read error of the store.
    package func parked(
        of name: Identifier, after position: Position, _ visit: (StoredParked) -> Bool
    ) throws(StorageError) {
        var lower = KeyBuffer(capacity: CursorTable.keyCount)
        var upper = KeyBuffer(capacity: CursorTable.keyCount)
        name.spelling.withUnsafeBytes {
            lower.set($0, at: position.next)
            upper.set($0, at: Position(CursorTable.lastPosition))
        }
        upper.add(0)
        var isDamaged = false
        try store.walk(
            StreamTables.parkedEvents.number, KeyBounds(lower: lower.bytes, upper: upper.bytes), .ascending
        ) { key, value in
            guard let parked = StoredParked(at: Position(key.sixByteNumber(at: key.count - 6)), value) else {
                isDamaged = true
                return false
            }
            return visit(parked)
        }
        if isDamaged { throw CursorTable.damaged }
    }

    /// Returns a parked event; nil where the event is not parked.
    ///
    /// - Throws: as `parked(of:after:_:)`.
    package func parked(_ event: Position, of name: Identifier) throws(StorageError) -> StoredParked? {
        try name.spelling.withUnsafeBytes { (name) throws(StorageError) in try parked(event, of: name) }
    }

    private func parked(_ event: Position, of name: UnsafeRawBufferPointer) throws(StorageError) -> StoredParked? {
        key.set(name, at: event)
        var parked: StoredParked?
        let isThere = try store.withValue(StreamTables.parkedEvents.number, at: key.bytes) {
            parked = StoredParked(at: event, $0)
        }
        if isThere, parked == nil { throw CursorTable.damaged }
        return parked
    }

    private static let damaged = StorageError.corrupt("the stored state of a cursor is damaged", at: nil)

    // MARK: Folding

    /// Returns true where an event may change a cursor.
    package static func concerns(_ record: EventRecord) -> Bool {
        record.text.cursor != nil || CursorEvent.name(ofStream: record.streamName) != nil
    }

    /// Folds an event in.
    ///
    /// - Throws: `.corrupt` for a damaged entry; otherwise any error of the store.
    package func fold(_ record: EventRecord) throws(StorageError) {
        if let range = record.text.cursor {
            guard let move = CursorMove(UnsafeRawBufferPointer(rebasing: record.json[range])) else { return }
            return try moved(move.name, move.share, to: move.event)
        }
        guard let name = CursorEvent.name(ofStream: record.streamName), let event = CursorEvent(record, json) else {
            return
        }
        switch event {
        case .defined(let defined): try define(name, as: defined, by: record)
        case .confirmed(let log): try change(name) { $0.log = log }
        case .moved(let share, let position): try moved(name, share, to: position)
        case .parked(let parked): try park(name, parked, at: record.position)
        case .retried(let event): try retry(name, event)
        case .discarded(let event, _): try discard(name, event)
        case .reset(let position):
            try reset(name, after: position) { cursor in
                for index in cursor.shares.indices { cursor.shares[index].at = position }
            }
        case .dropped: try reset(name, after: .zero) { ($0.shares, $0.data) = ([], []) }
        }
    }

    private func define(
        _ name: UnsafeRawBufferPointer, as defined: CursorDefined, by record: EventRecord
    ) throws(StorageError) {
        guard let range = record.data else { return }
        let data = [UInt8](UnsafeRawBufferPointer(rebasing: record.json[range]))
        guard var cursor = try cursor(named: name) else {
            let made = StoredCursor(
                at: defined.at, definedAt: record.position, shareCount: defined.definition.shareCount,
                log: defined.log, data: data)
            return try put(made, name)
        }
        guard !cursor.isDropped else { return }
        (cursor.definedAt, cursor.data) = (record.position, data)
        try put(cursor, name)
    }

    /// Notes that an event is done: one that was delivered again, or else all of the share through it.
    private func moved(
        _ name: UnsafeRawBufferPointer, _ share: UInt8, to position: Position
    ) throws(StorageError) {
        var place: StoredCursor.Share?
        _ = try store.withValue(StreamTables.cursors.number, at: name) { bytes in
            place = StoredCursor.share(share, in: bytes)
            StoredCursor.move(share, to: position, in: bytes, to: &value)
        }
        guard let place else { return }
        if position > place.at { return try store.put(value.bytes, in: StreamTables.cursors.number, at: name) }
        guard place.retried > 0, try parked(position, of: name)?.isRetried == true else { return }
        try store.remove(in: StreamTables.parkedEvents.number, at: key.bytes)
        try change(name) { $0.change(share, parked: -1, retried: -1) }
    }

    private func park(
        _ name: UnsafeRawBufferPointer, _ event: ParkedEvent, at position: Position
    ) throws(StorageError) {
        guard var cursor = try cursor(named: name), cursor.share(event.share) != nil else { return }
        if let before = try parked(event.event, of: name) {
            if before.isRetried { cursor.change(before.share, retried: -1) }
        } else {
            cursor.change(event.share, parked: 1)
        }
        StoredParked(event, since: position).write(to: &value)
        key.set(name, at: event.event)
        try store.put(value.bytes, in: StreamTables.parkedEvents.number, at: key.bytes)
        cursor.change(event.share, through: event.event)
        try put(cursor, name)
    }

    private func retry(_ name: UnsafeRawBufferPointer, _ event: Position?) throws(StorageError) {
        guard var cursor = try cursor(named: name) else { return }
        var found: [StoredParked] = []
        if let event {
            if let one = try parked(event, of: name) { found.append(one) }
        } else {
            found = try parked(name, after: .zero)
        }
        for var one in found where !one.isRetried {
            one.isRetried = true
            cursor.change(one.share, retried: 1)
            one.write(to: &value)
            key.set(name, at: one.event)
            try store.put(value.bytes, in: StreamTables.parkedEvents.number, at: key.bytes)
        }
        try put(cursor, name)
    }

    private func discard(_ name: UnsafeRawBufferPointer, _ event: Position) throws(StorageError) {
        guard var cursor = try cursor(named: name), let one = try parked(event, of: name) else { return }
        try store.remove(in: StreamTables.parkedEvents.number, at: key.bytes)
        cursor.change(one.share, parked: -1, retried: one.isRetried ? -1 : 0)
        try put(cursor, name)
    }

    /// Forgets the parked events after a position, and changes the cursor.
    private func reset(
        _ name: UnsafeRawBufferPointer, after position: Position, _ change: (inout StoredCursor) -> Void
    ) throws(StorageError) {
        guard var cursor = try cursor(named: name) else { return }
        for one in try parked(name, after: position) {
            key.set(name, at: one.event)
            try store.remove(in: StreamTables.parkedEvents.number, at: key.bytes)
            cursor.change(one.share, parked: -1, retried: one.isRetried ? -1 : 0)
        }
        change(&cursor)
        try put(cursor, name)
    }

    /// Returns the parked events of a cursor after a position.
    private func parked(
        _ name: UnsafeRawBufferPointer, after position: Position
    ) throws(StorageError) -> [StoredParked] {
        var found: [StoredParked] = []
        try parked(of: Identifier(trusted: [UInt8](name)), after: position) {
            found.append($0)
            return true
        }
        return found
    }

    private func change(
        _ name: UnsafeRawBufferPointer, _ change: (inout StoredCursor) -> Void
    ) throws(StorageError) {
        guard var cursor = try cursor(named: name) else { return }
        change(&cursor)
        try put(cursor, name)
    }

    private func put(_ cursor: StoredCursor, _ name: UnsafeRawBufferPointer) throws(StorageError) {
        cursor.write(to: &value)
        try store.put(value.bytes, in: StreamTables.cursors.number, at: name)
    }
}

extension KeyBuffer {
    /// Replaces the content with the key of a parked event.
    fileprivate mutating func set(_ name: UnsafeRawBufferPointer, at position: Position) {
        clear()
        addName(name)
        add48(position.value)
    }
}
