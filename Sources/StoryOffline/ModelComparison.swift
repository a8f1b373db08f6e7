import StoryCore
import StoryFold
import StoryStore

/// A search for the first entry in which a stored model differs from the fold of the log.
struct ModelComparison {
    let catalogue: Catalogue
    let folded: FoldedModels
    /// Folds the log again and keeps the entries of a table of which only the digest was kept.
    let foldKeeping: (ModelTable?) throws(StorageError) -> FoldedModels

    /// Returns a sentence that names the first row that differs.
    func firstDifference(_ tables: [ModelTable], _ snapshot: ModelSnapshot) throws(StorageError) -> String {
        for table in tables {
            if let difference = try firstDifference(table, snapshot) { return difference }
        }
        return "the digests differ, but no entry does"
    }

    private func firstDifference(
        _ table: ModelTable, _ snapshot: ModelSnapshot
    ) throws(StorageError) -> String? {
        let expected = try entries(of: table)
        var index = 0
        var difference: String?
        try snapshot.scan(table) { key, value in
            guard index < expected.count else {
                difference = "\(name(table, Array(key))) is stored, but the log does not make it"
                return false
            }
            let entry = expected[index]
            index += 1
            if entry.key.equals(key) {
                guard entry.value.equals(value) else {
                    difference = "\(name(table, entry.key)) is stored otherwise than the log makes it"
                    return false
                }
                return true
            }
            let isMissing = entry.key.precedes(Array(key))
            difference =
                isMissing
                ? "\(name(table, entry.key)) is not stored, though the log makes it"
                : "\(name(table, Array(key))) is stored, but the log does not make it"
            return false
        }
        if difference == nil, index < expected.count {
            difference = "\(name(table, expected[index].key)) is not stored, though the log makes it"
        }
        return difference
    }

    private func entries(of table: ModelTable) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        if let entries = folded.entries(of: table) { return entries }
        return try foldKeeping(table).entries(of: table) ?? []
    }

    /// Returns the name of a row by its ID, or of another entry by its table and key.
    private func name(_ table: ModelTable, _ key: [UInt8]) -> String {
        if let kind = catalogue.kinds.first(where: { $0.rows == table }),
            kind.keys.isValid(count: key.count - KeyBuffer.rowKeyHead)
        {
            return kind.address(RowKey(trusted: ByteView(Array(key.dropFirst(KeyBuffer.rowKeyHead)))))
        }
        let isText = !key.isEmpty && key.allSatisfy(Alphabet.holds)
        return "\(table.name) \(Alphabet.text(isText ? key : key.hexadecimal))"
    }
}
