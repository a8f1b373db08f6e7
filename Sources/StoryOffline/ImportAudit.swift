package import StoryCore
import StoryFold
import StoryStore
import StoryWire

/// A check whether the models can use events that come from another store.
package struct ImportAudit {
    /// The result of the check of one event.
    package enum Verdict: Equatable, Sendable {
        /// A model uses the event, or it is one of the users' own.
        case used
        /// No model can use the event; the sentence says why.
        case unused(String)
        /// The event would break an invariant of the models, so no log may contain it; the sentence says which.
        case forbidden(String)
    }

    private let audit: RowAudit
    private let definitions: DefinitionAudit

    /// Creates an audit that has seen no event, for the kinds of a catalogue.
    package init(_ catalogue: Catalogue) {
        audit = RowAudit(CataloguePlan(catalogue), in: MemoryModelStore(), json: JSONObjectReader())
        definitions = DefinitionAudit(catalogue)
    }

    /// Judges the next event.
    ///
    /// - Throws: `.corrupt` where a row is damaged.
    package func verdict(on record: EventRecord) throws(StorageError) -> Verdict {
        if let fault = try definitions.fault(in: record) { return .unused(fault) }
        guard let finding = try audit.finding(in: record) else { return .used }
        // Texts are made for refusals only, since an import checks every event.
        let stream = String(decoding: record.streamName, as: UTF8.self)
        let type = String(decoding: record.json[record.type], as: UTF8.self)
        switch finding {
        case .misfit: return .unused("\(stream) knows no event \(type) with this data")
        case .noEffect where record.version == Version(1): return .unused("\(type) is no first event of \(stream)")
        case .noEffect: return .unused("\(type) changes nothing in \(stream), as it is after the events before")
        case .taken(let field, let other): return .forbidden("\(stream) would have the \(field) of \(other)")
        }
    }
}

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
