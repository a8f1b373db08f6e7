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
