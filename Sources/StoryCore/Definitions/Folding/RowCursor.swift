/// The rows that an event has changed so far, and the one that its statements are about.
struct RowCursor: ~Copyable {
    /// A row that the event changed.
    private struct Touched {
        var key: UnsafeRawBufferPointer
        /// The values before the event; nil where there was no row.
        let before: UnsafeMutablePointer<ModelValue>?
        let after: UnsafeMutablePointer<ModelValue>
        var isThere = true
        var size = 0
    }

    private let touched = UnsafeMutablePointer<Touched>.allocate(capacity: DefinitionLimits.touched + 1)
    private let differences = UnsafeMutablePointer<RowDifference>.allocate(capacity: DefinitionLimits.touched + 1)
    private let loaded = UnsafeMutablePointer<ModelValue>.allocate(capacity: DefinitionLimits.fields)
    private var count = 0

    /// The key of the current row; nil where it cannot be made.
    private(set) var key: UnsafeRawBufferPointer?
    /// The index of the current row in `touched`; nil where it is not yet changed.
    private var index: Int?
    private var presence = Presence.unknown

    /// The state of a row that the event has not changed.
    private enum Presence { case unknown, there, absent }

    deinit {
        touched.deallocate()
        differences.deallocate()
        loaded.deallocate()
    }

    /// Begins with an event.
    mutating func begin() { count = 0 }

    /// Goes to a row.
    mutating func enter(_ key: UnsafeRawBufferPointer?) {
        self.key = key
        index = nil
        presence = key == nil ? .absent : .unknown
        guard let key else { return }
        for other in 0..<count where touched[other].key.equals(key) { index = other }
    }

    /// True where the current row has to be read before it is looked at.
    var isUnread: Bool { index == nil && presence == .unknown }

    /// Reads the current row; returns false where that failed.
    mutating func read(from model: any ModelMemory, code: UnsafePointer<ProgramCode>, memory: FoldMemory) -> Bool {
        guard let key else { return true }
        loaded.update(repeating: .missing, count: code.pointee.fields.count)
        switch model.readRow(key, into: loaded, memory) {
        case .found: presence = .there
        case .absent: presence = .absent
        case .failed:
            presence = .absent
            return false
        }
        return true
    }

    /// The values of the current row; nil where there is none.
    var values: UnsafeMutablePointer<ModelValue>? {
        if let index { return touched[index].isThere ? touched[index].after : nil }
        return presence == .there ? loaded : nil
    }

    /// Removes the current row, which has a key.
    ///
    /// - Throws: `tooMany` where the event has changed too many rows.
    mutating func remove(code: UnsafePointer<ProgramCode>, cells: FoldMemory) throws(MisfitRule) {
        let row = touch(code: code, cells: cells)
        touched[row].isThere = false
        guard count <= DefinitionLimits.touched else { throw .tooMany }
    }

    /// Makes the current row one that is there and that the event changes.
    mutating func make(code: UnsafePointer<ProgramCode>, cells: FoldMemory) {
        let row = touch(code: code, cells: cells)
        guard !touched[row].isThere else { return }
        let values = touched[row].after
        for (number, value) in code.pointee.start.enumerated() { values[number] = value }
        touched[row].isThere = true
        touched[row].size = code.pointee.start.reduce(0) { $0 + $1.size }
    }

    /// Sets a value of the row that `make` made. A list or a map without elements counts as none.
    mutating func set(_ number: Int, _ value: ModelValue) {
        guard let index else { return }
        let values = touched[index].after
        let new = value.isEmpty ? ModelValue.missing : value
        touched[index].size += new.size - values[number].size
        values[number] = new
    }

    /// Checks the row that was changed.
    ///
    /// - Throws: `tooLarge` or `tooMany`.
    func check() throws(MisfitRule) {
        if let index, touched[index].size > DefinitionLimits.rowSize { throw .tooLarge }
        guard count <= DefinitionLimits.touched else { throw .tooMany }
    }

    /// The rows that differ from what they were.
    func changes(_ fieldCount: Int) -> UnsafeBufferPointer<RowDifference> {
        var differing = 0
        for number in 0..<count {
            let row = touched[number]
            let fields = RowCursor.difference(of: row, fieldCount: fieldCount)
            guard fields != 0 else { continue }
            (differences + differing).initialize(
                to: RowDifference(
                    key: row.key, before: row.before.map { UnsafePointer($0) },
                    after: row.isThere ? UnsafePointer(row.after) : nil, fields: fields))
            differing += 1
        }
        return UnsafeBufferPointer(start: differences, count: differing)
    }

    private static func difference(of row: Touched, fieldCount: Int) -> UInt64 {
        guard let before = row.before else { return row.isThere ? .max : 0 }
        guard row.isThere else { return .max }
        var fields: UInt64 = 0
        for number in 0..<fieldCount where !before[number].isSame(as: row.after[number]) {
            fields |= 1 << UInt64(number)
        }
        return fields
    }

    /// Makes the current row one that the event changes; returns its index.
    private mutating func touch(code: UnsafePointer<ProgramCode>, cells: FoldMemory) -> Int {
        if let index { return index }
        let fieldCount = code.pointee.fields.count
        let isThere = presence == .there
        var before: UnsafeMutablePointer<ModelValue>?
        let after = cells.values(fieldCount)
        var size = 0
        if isThere {
            let copy = cells.values(fieldCount)
            copy.update(from: loaded, count: fieldCount)
            after.update(from: loaded, count: fieldCount)
            for number in 0..<fieldCount { size += after[number].size }
            before = copy
        }
        // More than the limit are a misfit, which the caller finds; the last entry is used again until then.
        let row = min(count, DefinitionLimits.touched)
        (touched + row).initialize(
            to: Touched(key: key ?? .none, before: before, after: after, isThere: isThere, size: size))
        count += 1
        index = row
        return row
    }

    /// Moves what the rows view into other memory.
    mutating func move(to memory: FoldMemory, fieldCount: Int) {
        key = key.map { memory.copy($0) }
        if index == nil, presence == .there { memory.move(loaded, count: fieldCount) }
        for number in 0..<count {
            let row = touched[number]
            if let before = row.before { memory.move(before, count: fieldCount) }
            memory.move(row.after, count: fieldCount)
            touched[number].key = memory.copy(row.key)
        }
    }
}

/// A row of a model with the members that each row has.
package struct ModelRow: BitwiseCopyable {
    /// The key, as `ModelKey` has it; the row's ID is its text.
    package let key: UnsafeRawBufferPointer
    /// The number of events that left the row otherwise, since it was made.
    package let changes: UInt64
    /// The position of the last of them.
    package let position: Position
    /// The values of the fields.
    package let values: UnsafePointer<ModelValue>

    /// Creates a row.
    package init(
        key: UnsafeRawBufferPointer, changes: UInt64, position: Position, values: UnsafePointer<ModelValue>
    ) {
        self.key = key
        self.changes = changes
        self.position = position
        self.values = values
    }

    /// Appends the row as JSON: `{"id":…,"changes":…,"position":…,FIELDS}`, without absent fields.
    package func appendJSON(to bytes: inout [UInt8], _ fields: [ModelField]) {
        bytes += #"{"id":""#.utf8
        RowKeyShape.someParts.forEachByte(of: key) { bytes.append($0) }
        bytes += #"","changes":\#(changes),"position":\#(position.value)"#.utf8
        for (number, field) in fields.enumerated() where !values[number].isMissing {
            bytes += ",\"\(field.name)\":".utf8
            values[number].appendJSON(to: &bytes)
        }
        bytes.append(0x7D)
    }
}

/// The key of a row: one to four parts, each as its length in two bytes, the higher first, and its bytes.
package enum ModelKey {
    private static let lengthCount = 2

    /// Returns the key of parts; nil where they make none.
    static func make(
        _ parts: UnsafeBufferPointer<UnsafeRawBufferPointer>, in memory: FoldMemory
    ) -> UnsafeRawBufferPointer? {
        var count = 0
        for part in parts {
            guard 1...DefinitionLimits.keyPart ~= part.count else { return nil }
            count += part.count
        }
        guard count <= DefinitionLimits.key else { return nil }
        let start = memory.allocate(count + parts.count * lengthCount)
        var next = start
        for part in parts {
            next.storeBytes(of: UInt16(truncatingIfNeeded: part.count).bigEndian, as: UInt16.self)
            if let source = part.baseAddress {
                (next + lengthCount).copyMemory(from: source, byteCount: part.count)
            }
            next += lengthCount + part.count
        }
        return UnsafeRawBufferPointer(start: start, count: next - start)
    }
}
