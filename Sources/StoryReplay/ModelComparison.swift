import StoryCore
import StoryModels

/// Finds the first entry in which a stored model differs from the fold of the log.
struct ModelComparison {
    let folded: FoldedModels
    /// Folds once more and keeps the entries of a table of which there was only a digest.
    let foldKeeping: (Table) throws(StorageError) -> FoldedModels

    /// A sentence that names the row.
    func firstDifference(_ model: Model, _ snapshot: ModelSnapshot) throws(StorageError) -> String {
        for table in model.tables {
            if let difference = try firstDifference(table, model, snapshot) { return difference }
        }
        return "the digests differ, but no entry does"
    }

    private func firstDifference(
        _ table: Table, _ model: Model, _ snapshot: ModelSnapshot
    ) throws(StorageError) -> String? {
        let expected = try entries(of: table, model)
        var index = 0
        var difference: String?
        try snapshot.scan(table) { key, value in
            guard index < expected.count else {
                difference = "\(name(table, Array(key))) is stored, but the log does not make it"
                return false
            }
            let entry = expected[index]
            index += 1
            if entry.key.elementsEqual(key) {
                guard entry.value.elementsEqual(value) else {
                    difference = "\(name(table, entry.key)) is stored otherwise than the log makes it"
                    return false
                }
                return true
            }
            let isMissing = entry.key.lexicographicallyPrecedes(key)
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

    private func entries(
        of table: Table, _ model: Model
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        if let entries = folded.entries(of: table, in: model) { return entries }
        return try foldKeeping(table).entries(of: table, in: model) ?? []
    }

    /// A row by its ID where the folded models know it, otherwise the table and its key.
    private func name(_ table: Table, _ key: [UInt8]) -> String {
        let row: String? =
            switch table {
            case .users: row(UserProjection.self, key).map { "users/\($0.id)" }
            case .stories: row(StoryProjection.self, key).map { "stories/\($0.id)" }
            case .messages: row(MessageProjection.self, key).map { "messages/\($0.id)" }
            case .photos: row(PhotoProjection.self, key).map { "photos/\($0.id)" }
            default: nil
            }
        if let row { return row }
        let isText = !key.isEmpty && key.allSatisfy(Alphabet.holds)
        return "\(table) " + (isText ? Alphabet.text(key) : key.map { hex($0) }.joined())
    }

    private func row<P: Projection>(_ projection: P.Type, _ key: [UInt8]) -> P.Row? {
        KeyReader.lastNumber(key).flatMap { folded.row(P.self, $0) }
    }

    private func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.utf8.count == 1 ? "0" + text : text
    }
}
