package import StoryCore

/// The declared models of a store: a table of the models that is folded from the streams `model-NAME`.
package final class DefinitionTable {
    private let store: any TableStore
    private let json: any JSONReading
    private var value = KeyBuffer(capacity: 1_024)

    /// Creates the registry over the tables of a store.
    package init(_ store: any TableStore, json: any JSONReading) {
        self.store = store
        self.json = json
    }

    /// Returns a model; nil where none of this name was ever defined.
    ///
    /// - Throws: `.corrupt` for a damaged entry; otherwise any read error of the store.
    package func model(named name: UnsafeRawBufferPointer) throws(StorageError) -> DeclaredModel? {
        guard KeyBuffer.keyLength.contains(name.count) else { return nil }
        var model: DeclaredModel?
        // The number of the next definition rests on it, and a model's events are few.
        let isThere = try store.withProvenValue(StreamTables.definitions.number, at: name) { model = DeclaredModel($0) }
        if isThere, model == nil { throw .corrupt("the stored definition of a model is damaged", at: nil) }
        return model
    }

    /// Returns a model, as `model(named:)` does.
    ///
    /// - Throws: as `model(named:)`.
    package func model(named name: String) throws(StorageError) -> DeclaredModel? {
        try Array(name.utf8).withBytes { (name) throws(StorageError) in try model(named: name) }
    }

    /// Returns the models that are defined, in the order of their names' bytes.
    ///
    /// - Throws: as `model(named:)`.
    package func defined() throws(StorageError) -> [(name: String, model: DeclaredModel)] {
        var models: [(name: String, model: DeclaredModel)] = []
        var isDamaged = false
        try store.walk(StreamTables.definitions.number, .all, .ascending) { name, value in
            guard let model = DeclaredModel(value) else {
                isDamaged = true
                return false
            }
            if model.isDefined { models.append((String(decoding: name, as: UTF8.self), model)) }
            return true
        }
        if isDamaged { throw .corrupt("the stored definition of a model is damaged", at: nil) }
        return models
    }

    /// Folds an event of a stream in.
    ///
    /// - Returns: true when a model changed.
    /// - Throws: as `model(named:)`.
    package func fold(_ record: EventRecord) throws(StorageError) -> Bool {
        guard let name = DefinitionTable.name(ofStream: record.streamName) else { return false }
        var model = try model(named: name) ?? DeclaredModel()
        guard model.fold(record, json) else { return false }
        model.write(to: &value)
        try store.put(value.bytes, in: StreamTables.definitions.number, at: name)
        return true
    }

    /// Returns the definition that an event has; nil for an event that is no `ModelDefined`.
    package func definition(of record: EventRecord) -> DeclaredModel.Numbered? {
        var model = DeclaredModel()
        return model.fold(record, json) ? model.newest : nil
    }

    /// Returns the name of the model whose stream it is; nil for a stream of another category.
    package static func name(ofStream stream: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let start = DeclaredModel.category.utf8.count + 1
        guard stream.count > start, stream.slice(0, count: start).equals("model-") else { return nil }
        return stream.slice(start, count: stream.count - start)
    }
}
