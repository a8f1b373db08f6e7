package import StoryCore
import StoryModels
import StoryWire

/// A check of events that come from elsewhere: can the models use them?
package struct ImportAudit {
    /// The use that a model has for an event.
    package enum Verdict: Equatable, Sendable {
        /// A model uses it, or it is one of the users' own.
        case used
        /// No model can use it; the sentence says why.
        case unused(String)
        /// It would break a promise of the models, so no log may have it; the sentence says which.
        case forbidden(String)
    }

    private let audit = RowAudit(CataloguePlan(.standard), json: JSONObjectReader())

    package init() {}

    /// Judges the next event.
    ///
    /// - Throws: `.corrupt` where a row is damaged.
    package func verdict(on record: EventRecord) throws(StorageError) -> Verdict {
        guard let finding = try audit.finding(in: record) else { return .used }
        // Only a refusal is worth its text: an import asks this of every event.
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
