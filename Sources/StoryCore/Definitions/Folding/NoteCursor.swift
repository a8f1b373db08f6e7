/// The note records that an event has set so far, and the one that was read last.
struct NoteCursor: ~Copyable {
    /// A record of a key.
    private struct Record {
        var key: UnsafeRawBufferPointer
        let values: UnsafeMutablePointer<ModelValue>
        var size = 0
    }

    private let touched = UnsafeMutablePointer<Record>.allocate(capacity: DefinitionLimits.touched + 1)
    private let differences = UnsafeMutablePointer<NoteDifference>.allocate(capacity: DefinitionLimits.touched + 1)
    private let loaded = UnsafeMutablePointer<ModelValue>.allocate(capacity: DefinitionLimits.notes)
    private var count = 0
    /// The key of the record in `loaded`; nil before one is read.
    private var loadedKey: UnsafeRawBufferPointer?

    deinit {
        touched.deallocate()
        differences.deallocate()
        loaded.deallocate()
    }

    /// Begins with an event.
    mutating func begin() {
        count = 0
        loadedKey = nil
    }

    /// Returns the values of a record, all missing where there is none; nil where it could not be read.
    mutating func values(
        _ key: UnsafeRawBufferPointer, from model: any ModelMemory, code: UnsafePointer<ProgramCode>, memory: FoldMemory
    ) -> UnsafeMutablePointer<ModelValue>? {
        for number in 0..<count where touched[number].key.equals(key) { return touched[number].values }
        if let loadedKey, loadedKey.equals(key) { return loaded }
        loaded.update(repeating: .missing, count: code.pointee.notes.count)
        loadedKey = key
        switch model.readNote(key, into: loaded, memory) {
        case .found, .absent: return loaded
        case .failed: return nil
        }
    }

    /// Sets a value of the record that `values` returned last.
    ///
    /// - Throws: `tooLarge` where the record is too large, `tooMany` where the event has set too many records.
    mutating func set(
        _ number: Int, of key: UnsafeRawBufferPointer, to value: ModelValue, code: UnsafePointer<ProgramCode>,
        cells: FoldMemory
    ) throws(MisfitRule) {
        let index = touch(key, code: code, cells: cells)
        let values = touched[index].values
        touched[index].size += value.size - values[number].size
        values[number] = value
        guard touched[index].size <= DefinitionLimits.rowSize else { throw .tooLarge }
        guard count <= DefinitionLimits.touched else { throw .tooMany }
    }

    /// The records that the event set.
    func changes(_ noteCount: Int) -> UnsafeBufferPointer<NoteDifference> {
        for number in 0..<count {
            let record = touched[number]
            let isThere = (0..<noteCount).contains { !record.values[$0].isMissing }
            (differences + number).initialize(
                to: NoteDifference(key: record.key, after: isThere ? UnsafePointer(record.values) : nil))
        }
        return UnsafeBufferPointer(start: differences, count: count)
    }

    private mutating func touch(
        _ key: UnsafeRawBufferPointer, code: UnsafePointer<ProgramCode>, cells: FoldMemory
    ) -> Int {
        for number in 0..<count where touched[number].key.equals(key) { return number }
        let values = cells.values(code.pointee.notes.count)
        values.update(from: loaded, count: code.pointee.notes.count)
        var size = 0
        for number in 0..<code.pointee.notes.count { size += values[number].size }
        let index = min(count, DefinitionLimits.touched)
        (touched + index).initialize(to: Record(key: key, values: values, size: size))
        count += 1
        return index
    }

    /// Moves what the records view into other memory.
    mutating func move(to memory: FoldMemory, noteCount: Int) {
        loadedKey = nil
        for number in 0..<count {
            touched[number].key = memory.copy(touched[number].key)
            memory.move(touched[number].values, count: noteCount)
        }
    }
}
