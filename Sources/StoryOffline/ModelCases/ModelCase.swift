import StoryCore
import StoryFold
import StoryWire

/// A case of a model: a definition, events, and the rows, misfits and answers that must come out.
package struct ModelCase {
    /// A result that is not the expected one.
    package struct Difference {
        /// The name of the case.
        package let name: String
        /// The compared thing: `rows`, `misfits` or a question.
        package let subject: String
        /// The result, as JSON.
        package let result: String
        /// The expected one, as JSON.
        package let expected: String
    }

    /// The reason for which a file has no cases.
    package struct Unreadable: Error {
        /// The reason as a sentence.
        package let reason: String

        /// Creates an error with its reason.
        package init(reason: String) { self.reason = reason }
    }

    /// The members of a case; `family` is a word for people.
    private static let known = ["name", "family", "file", "definition", "events", "rows", "misfits", "queries"]

    /// The name of the case.
    package let name: String
    /// The text of the definition, and the file that it is from, where the case names one.
    private let text: String
    private let file: String?
    private let members: [String: JSONValue]

    /// Reads the cases of a file: a JSON array of objects.
    ///
    /// - Parameter definition: returns the text of a file that a case names, whose path may be relative to the cases.
    /// - Throws: the reason where it is none.
    package static func read(
        _ json: [UInt8], definition: (_ file: String) throws(Unreadable) -> String
    ) throws(Unreadable) -> [ModelCase] {
        guard !json.starts(with: "\u{FEFF}".utf8) else {
            throw Unreadable(reason: "the file begins with a byte order mark: remove it")
        }
        let value: JSONValue
        do throws(Failure) { value = try JSONValue.read(json) } catch { throw Unreadable(reason: error.message) }
        guard value.kind == .list else { throw Unreadable(reason: "cases are a JSON array") }
        var cases: [ModelCase] = []
        for (index, element) in value.members.enumerated() {
            guard element.value.kind == .object else {
                throw Unreadable(reason: "case \(index + 1) is no JSON object")
            }
            cases.append(try ModelCase(element.value, number: index + 1, definition))
        }
        return cases
    }

    private init(
        _ json: JSONValue, number: Int, _ definition: (_ file: String) throws(Unreadable) -> String
    ) throws(Unreadable) {
        members = json.byName
        name = members["name"]?.text ?? "case \(number)"
        try json.checkNames(ModelCase.known, of: "a case", in: name)
        for (index, event) in (members["events"]?.members ?? []).enumerated() {
            try event.value.checkNames(CaseEventReader.known, of: "an event", in: "\(name): event \(index + 1)")
        }
        for query in members["queries"]?.members ?? [] {
            try query.value.checkNames(["ask", "answer"], of: "a query", in: name, areAllNeeded: true)
            try query.value.byName["ask"]?.checkNames(ModelQuestion.known, of: "a question", in: name)
        }
        file = members["file"]?.text
        switch (file, members["definition"]?.text) {
        case (nil, let text?): self.text = text
        case (let file?, nil): text = try definition(file)
        case (.some, .some): throw Unreadable(reason: "\(name): file and definition say the same; give one")
        case (nil, nil): throw Unreadable(reason: "\(name): file or definition is missing")
        }
    }

    /// Folds the events, and returns what differs from the expected results.
    ///
    /// - Throws: the reason where an event cannot be read, or every fault of the definition.
    package func differences() throws(Unreadable) -> [Difference] {
        let definition: Definition
        do throws(DefinitionFaults) {
            definition = try Definition.read(text)
        } catch {
            return error.faults.map { fault in
                let result = (file.map { "\($0):" } ?? "") + fault.description
                return Difference(name: name, subject: "definition", result: result, expected: "no fault")
            }
        }
        let model = try folded(definition)
        var compared = [("rows", model.caseRows, members["rows"]?.canonical ?? "{}")]
        compared.append(("misfits", model.caseMisfits, members["misfits"]?.canonical ?? "[]"))
        for query in members["queries"]?.members ?? [] {
            let query = query.value.byName
            guard let ask = query["ask"], let answer = query["answer"] else { continue }
            compared.append((ask.canonical, ModelQuestion(model).answer(ask.byName), answer.canonical))
        }
        return compared.filter { $0.1 != $0.2 }.map {
            Difference(name: name, subject: $0.0, result: $0.1, expected: $0.2)
        }
    }

    private func folded(_ definition: Definition) throws(Unreadable) -> MemoryModel {
        let model = MemoryModel(definition)
        let reader = CaseEventReader(definition.program)
        for (index, event) in (members["events"]?.members ?? []).enumerated() {
            guard reader.withEvent(event.value.byName, { model.fold($0) }) else {
                throw Unreadable(
                    reason: "\(name): event \(index + 1) has no stream, type, time or position as an export writes them"
                )
            }
        }
        return model
    }
}

extension MemoryModel {
    /// The rows as a case expects them: an object of the rows by ID, without their IDs.
    var caseRows: String {
        "{" + rows.map { "\"\(id($0))\":{" + json($0).drop { $0 != "," }.dropFirst() }.joined(separator: ",") + "}"
    }

    /// The misfits as a case expects them.
    var caseMisfits: String {
        let all = misfits.map { "[\($0.position.value),\($0.misfit.line),\"\($0.misfit.rule.rawValue)\"]" }
        return "[" + all.joined(separator: ",") + "]"
    }
}
