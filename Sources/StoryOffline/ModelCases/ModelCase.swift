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
        package let reason: String
    }

    /// The name of the case.
    package let name: String
    private let members: [String: JSONValue]

    /// Reads the cases of a file: a JSON array of objects.
    ///
    /// - Throws: the reason where it is none.
    package static func read(_ json: [UInt8]) throws(Unreadable) -> [ModelCase] {
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
            cases.append(ModelCase(element.value, number: index + 1))
        }
        return cases
    }

    private init(_ json: JSONValue, number: Int) {
        members = json.byName
        name = members["name"]?.text ?? "case \(number)"
    }

    /// Folds the events, and returns what differs from the expected results.
    ///
    /// - Throws: the reason where an event cannot be read, or every fault of the definition.
    package func differences() throws(Unreadable) -> [Difference] {
        let definition: Definition
        do throws(DefinitionFaults) {
            definition = try Definition.read(members["definition"]?.text ?? "")
        } catch {
            return error.faults.map { fault in
                Difference(name: name, subject: "definition", result: fault.description, expected: "no fault")
            }
        }
        let model = try folded(definition)
        let rows = model.rows.map { "\"\(model.id($0))\":{" + model.json($0).drop { $0 != "," }.dropFirst() }
        let misfits = model.misfits.map { "[\($0.position.value),\($0.misfit.line),\"\($0.misfit.rule.rawValue)\"]" }
        var compared = [("rows", "{" + rows.joined(separator: ",") + "}", members["rows"]?.canonical ?? "{}")]
        compared.append(
            ("misfits", "[" + misfits.joined(separator: ",") + "]", members["misfits"]?.canonical ?? "[]"))
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

/// A reader of the events of cases, which have the members of an export's events that a program looks at.
struct CaseEventReader {
    private let reader = ProgramEventReader()
    private let paths: EventPaths

    init(_ program: Program) { paths = EventPaths([program]) }

    /// Calls `body` with an event, unless it is erased; returns false where the members are none of an event.
    func withEvent(_ members: [String: JSONValue], _ body: (ProgramEvent) -> Void) -> Bool {
        guard let stream = members["stream"].flatMap({ StreamName(Array($0.text.utf8)) }),
            let type = members["type"].flatMap({ EventType(Array($0.text.utf8)) }),
            let time = members["time"].flatMap({ Instant($0.text) }),
            let position = members["position"].flatMap({ UInt64($0.json) })
        else { return false }
        guard members["erased"]?.json != "true" else { return true }
        let (data, meta) = (members["data"].map { Array($0.json.utf8) }, members["meta"].map { Array($0.json.utf8) })
        let tags = members["tags"].map { Array($0.json.utf8) }
        return (data ?? Array("null".utf8)).withUnsafeBytes { data in
            (meta ?? []).withUnsafeBytes { meta in
                (tags ?? []).withUnsafeBytes { tags in
                    reader.read(ProgramEventReader.Parts(data: data, meta: meta, tags: tags), paths)
                    return stream.spelling.withUnsafeBytes { stream in
                        type.spelling.withUnsafeBytes { type in
                            body(
                                ProgramEvent(
                                    stream: stream, categoryCount: stream.firstIndex(of: 0x2D) ?? stream.count,
                                    type: type, position: Position(position),
                                    version: Version(members["version"].flatMap { UInt64($0.json) } ?? 0), time: time,
                                    by: members["by"].flatMap { UInt32($0.json) }, values: paths.values(of: 0)))
                            return true
                        }
                    }
                }
            }
        }
    }
}

extension JSONValue {
    /// The members of an object by name; none for other values.
    var byName: [String: JSONValue] {
        guard kind == .object else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value without white space, each number as a model writes it.
    var canonical: String {
        switch kind {
        case .null, .flag: return json
        case .number:
            if case .number(let number) = ModelNumber.read(Array(json.utf8)) { return number.text }
            return json
        case .text: return JSONValue.quoted(text)
        case .list: return "[" + members.map(\.value.canonical).joined(separator: ",") + "]"
        case .object:
            let members = members.map { JSONValue.quoted($0.name) + ":" + $0.value.canonical }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        Array(text.utf8).withUnsafeBytes { $0.appendJSON(to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
