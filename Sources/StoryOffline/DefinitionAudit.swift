import StoryCore
import StoryFold
import StoryStore
import StoryWire

/// An audit of the events that declare models: it folds them, and finds those that declare none that can be served.
final class DefinitionAudit {
    private let table = DefinitionTable(MemoryModelStore(), json: JSONObjectReader())
    private let catalogue: Catalogue

    init(_ catalogue: Catalogue) { self.catalogue = catalogue }

    /// Folds the next event and returns the fault of one in the stream of a model; nil for a good one, and for the events
    /// of other streams.
    ///
    /// - Throws: the error of the table.
    func fault(in record: EventRecord) throws(StorageError) -> String? {
        guard let bytes = DefinitionTable.name(ofStream: record.streamName) else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        let type = String(decoding: record.json[record.type], as: UTF8.self)
        let before = try table.model(named: bytes)
        let isChanged = try table.fold(record)
        if let error = ModelName.error(bytes, kinds: catalogue.kinds.map(\.name)) {
            return "there can be no model \(name): \(error.message)"
        }
        switch type {
        case "ModelDefined":
            guard isChanged, let newest = try table.model(named: bytes)?.newest else {
                return "\(type) has no number above those of the definitions before, or no text"
            }
            if before?.isDefined != true, try table.defined().count > DeclaredModel.limit {
                return "there are \(DeclaredModel.limit) models already"
            }
            return DefinitionAudit.fault(of: newest, name)
        case "ModelActivated":
            let isWhole = DeclaredModel.activation(of: name, in: record, JSONObjectReader()) != nil
            guard isChanged, isWhole else {
                return "\(type) is of no definition of \(name), as it is after the events before"
            }
            return nil
        case "ModelUndefined": return isChanged ? nil : "there is no model \(name) to undefine"
        default: return "a model has no event \(type)"
        }
    }

    /// Returns the first fault of a definition's text.
    private static func fault(of definition: DeclaredModel.Numbered, _ name: String) -> String? {
        guard let text = String(validating: definition.text, as: UTF8.self) else {
            return "definition \(definition.number) of \(name) is not UTF-8"
        }
        do throws(DefinitionFaults) {
            _ = try Definition.read(text)
            return nil
        } catch {
            return "definition \(definition.number) of \(name): " + (error.faults.first?.description ?? "")
        }
    }
}
