import StoryCore
import StoryWire

extension JSONValue {
    /// The members of an object by name; none for other values.
    var byName: [String: JSONValue] {
        guard kind == .object else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Checks the members of an object.
    ///
    /// - Parameters:
    ///   - known: the members that there may be.
    ///   - subject: the name of the object's sort, with an article.
    ///   - name: the name of the case or of its part.
    /// - Throws: the first member that is not known, with the nearest one, or one that is needed and missing.
    func checkNames(
        _ known: [String], of subject: String, in name: String, areAllNeeded: Bool = false
    ) throws(ModelCase.Unreadable) {
        guard kind == .object else { throw ModelCase.Unreadable(reason: "\(name): \(subject) is a JSON object") }
        for member in members where !known.contains(member.name) {
            let hint = NearestName.hint(member.name, among: known)
            throw ModelCase.Unreadable(
                reason: "\(name): \(subject) has no \(JSONValue.quoted(member.name))\(hint); it may have "
                    + known.joined(separator: ", "))
        }
        let missing = areAllNeeded ? known.first { wanted in !members.contains { $0.name == wanted } } : nil
        if let missing { throw ModelCase.Unreadable(reason: "\(name): \(subject) lacks \(missing)") }
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

    /// Returns a text as JSON.
    static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        Array(text.utf8).withUnsafeBytes { $0.appendJSON(to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
