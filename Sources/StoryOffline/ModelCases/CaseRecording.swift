import StoryCore
import StoryFold
import StoryWire

/// A case that is made of the events of a row which a store serves.
///
/// First it sees the events that may change the row, to find out the streams of those that do; then `text` makes the case
/// of the events of these streams.
package final class CaseRecording {
    /// The maximum number of events of a case.
    package static let mostEvents = 10_000

    /// The streams whose events changed the row, each once.
    package private(set) var streams: [String] = []
    private let text: String
    private let id: String
    private let definition: Definition
    private let model: MemoryModel
    private let reader: CaseEventReader

    /// Creates a recording of a row by the text of its model's definition.
    ///
    /// - Throws: the reason where the text is none.
    package init(_ text: String, row id: String) throws(ModelCase.Unreadable) {
        guard let definition = try? Definition.read(text) else {
            throw ModelCase.Unreadable(reason: "the definition is of another language")
        }
        (self.text, self.id, self.definition) = (text, id, definition)
        model = MemoryModel(definition)
        reader = CaseEventReader(definition.program)
    }

    /// The stream that all events of the row are of; nil where rows are made of several.
    package var onlyStream: String? {
        definition.hasRowsOfOneStream ? definition.program.categories?.first.map { "\($0)-\(id)" } : nil
    }

    /// Takes the next event of the log.
    ///
    /// - Throws: the reason where it is none.
    package func see(_ event: [UInt8]) throws(ModelCase.Unreadable) {
        let members = try CaseRecording.members(event)
        guard let stream = members["stream"]?.text else { return }
        fold(members, into: model)
        if model.changedIDs.contains(id), !streams.contains(stream) { streams.append(stream) }
    }

    /// Returns a file with the case, with all rows and misfits that its events make.
    ///
    /// - Parameters:
    ///   - name: the name of the case.
    ///   - events: the events of the streams, in the order of the log.
    ///   - served: the row as the store has it, as JSON.
    /// - Throws: the reason where the events do not make that row.
    package func text(
        _ name: String, _ events: [[UInt8]], making served: [UInt8]
    ) throws(ModelCase.Unreadable) -> String {
        let model = MemoryModel(definition)
        for event in events { fold(try CaseRecording.members(event), into: model) }
        let row = model.rows.first { model.id($0) == id }.map { model.json($0) }
        guard let row, JSONValue(Array(row.utf8))?.canonical == JSONValue(served)?.canonical else {
            throw ModelCase.Unreadable(
                reason: "\(name) is made of more than the events of its streams: notes of other streams, or events "
                    + "that came meanwhile")
        }
        let lines = events.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",\n")
        return #"[{"name":\#(JSONValue.quoted(name)),"definition":\#(JSONValue.quoted(text)),"#
            + "\"events\":[\n\(lines)],\n\"rows\":\(model.caseRows),\n\"misfits\":\(model.caseMisfits)}]"
    }

    private func fold(_ members: [String: JSONValue], into model: MemoryModel) {
        _ = reader.withEvent(members) { model.fold($0) }
    }

    private static func members(_ event: [UInt8]) throws(ModelCase.Unreadable) -> [String: JSONValue] {
        guard let value = JSONValue(event) else { throw ModelCase.Unreadable(reason: "an event is no JSON") }
        return value.byName
    }
}
