import StoryClient

/// A field of a form as a person edits it.
package struct DraftField: Hashable, Sendable {
    /// Its name on the wire.
    package let name: String
    /// What it is called for people, and what belongs into it.
    package let label: String
    /// What stood in it at first, or what is there now since that was shown.
    package internal(set) var original: String
    package internal(set) var text: String
    /// The place in the text, in characters.
    package internal(set) var cursor: Int
    /// What is wrong with it; nil where nothing is known to be.
    package internal(set) var error: String?
    /// What somebody else has put there meanwhile; nil where nobody has.
    package internal(set) var other: String?
}

/// A form as a person fills it in: text in every field.
package struct Draft: Hashable, Sendable {
    /// No field takes more characters.
    static let limit = 12_000

    package let title: String
    package internal(set) var fields: [DraftField] = []
    /// The index of the field that is edited.
    package internal(set) var focus = 0

    init(_ title: String) { self.title = title }

    /// The same form with one more field.
    func field<Field: FormField>(_ field: Field, _ label: String, _ text: String = "") -> Draft {
        with(field.rawValue, label, text)
    }

    /// The same form with one more field that is no form's of the store.
    func with(_ name: String, _ label: String, _ text: String = "") -> Draft {
        var draft = self
        draft.fields.append(DraftField(name: name, label: label, original: text, text: text, cursor: text.count))
        return draft
    }

    /// The same form with the first empty field edited.
    func begun() -> Draft {
        var draft = self
        draft.focus = fields.firstIndex { $0.text.isEmpty } ?? 0
        return draft
    }

    /// True where something stands in a field that did not stand there before.
    var isTyped: Bool { fields.contains { $0.text != $0.original } }

    private func named(_ name: String) -> DraftField? { fields.first { $0.name == name } }

    /// What stands in a field.
    func text<Field: FormField>(_ field: Field) -> String { named(field.rawValue)?.text ?? "" }

    /// What stands in a field; nil where nothing does.
    func optional<Field: FormField>(_ field: Field) -> String? { optional(field.rawValue) }

    func optional(_ name: String) -> String? { named(name).flatMap { $0.text.isEmpty ? nil : $0.text } }

    /// What stands in a field, where it was changed.
    func revised<Field: FormField>(_ field: Field) -> String? {
        named(field.rawValue).flatMap { $0.text == $0.original ? nil : $0.text }
    }

    /// Rests on another state of the row: what was typed stays and is shown beside what is there now, and what was not
    /// touched becomes what is there now.
    mutating func rebase(onto fresh: Draft) {
        for index in fields.indices {
            guard let now = fresh.named(fields[index].name)?.text else { continue }
            let field = fields[index]
            if field.text == field.original {
                fields[index].text = now
                fields[index].cursor = now.count
            } else if now != field.original {
                fields[index].other = now == field.text ? nil : now
            }
            fields[index].original = now
        }
    }

    /// Shows what is wrong beside the fields; the first wrong one is edited next. What belongs to no field is left over.
    mutating func show(_ wrong: [WrongEntry]) -> [WrongEntry] {
        for index in fields.indices {
            let errors = wrong.filter { $0.field == fields[index].name }.map(\.message)
            fields[index].error = errors.isEmpty ? nil : errors.joined(separator: "; ")
        }
        focus = fields.firstIndex { $0.error != nil } ?? focus
        return wrong.filter { entry in !fields.contains { $0.name == entry.field } }
    }
}

/// What is wrong with what was filled in.
package struct WrongEntry: Hashable, Sendable {
    package let field: String
    package let message: String

    package init(_ field: String, _ message: String) { (self.field, self.message) = (field, message) }
}

/// What was filled in cannot be what its fields are.
struct WrongDraft: Error {
    let entries: [WrongEntry]
}

/// Reads what was filled in as what the fields of a form are, and gathers all that is wrong.
struct DraftReader {
    let draft: Draft
    private(set) var wrong: [WrongEntry] = []

    init(_ draft: Draft) { self.draft = draft }

    /// A value out of a field; nil where it is empty, or is none.
    mutating func value<Value>(_ name: String, _ what: String, _ read: (String) -> Value?) -> Value? {
        guard let text = draft.optional(name) else { return nil }
        guard let value = read(text) else {
            wrong.append(WrongEntry(name, "must be \(what)"))
            return nil
        }
        return value
    }

    /// A value that a form cannot do without.
    mutating func required<Value>(
        _ name: String, _ what: String, or fallback: Value, _ read: (String) -> Value?
    ) -> Value {
        if draft.optional(name) == nil { wrong.append(WrongEntry(name, "is required")) }
        return value(name, what, read) ?? fallback
    }

    /// - Throws: `WrongDraft` where something is wrong.
    func check() throws {
        guard wrong.isEmpty else { throw WrongDraft(entries: wrong) }
    }
}

/// What became of a form that was handed in.
package enum Submission: Equatable, Sendable {
    /// It was written; a sentence about it.
    case written(String)
    /// These are wrong, all at once, and a sentence about the whole form.
    case wrong([WrongEntry], String)
    /// The row has changed since it was shown: this is its version now, and a sentence says so.
    case conflict(UInt64, String)
    /// It was refused, or could not be handed in.
    case refused(String)

    /// Hands in a typed form and says what became of it.
    static func of<Field: FormField>(
        _ fields: Field.Type, _ done: String, _ write: () async throws -> Receipt
    ) async -> Submission {
        do {
            return .written(Submission.sentence(done, try await write()))
        } catch let error as InvalidForm<Field> {
            let wrong = error.fields.map { WrongEntry($0.field.rawValue, $0.message) }
            return .wrong(wrong + error.options.map { WrongEntry($0.field, $0.message) }, error.message)
        } catch let error as WrongDraft {
            return .wrong(error.entries, "correct the marked fields")
        } catch ClientError.exists(let message, let field?) {
            return .wrong([WrongEntry(field, "is taken")], message)
        } catch ClientError.conflict(let message, _, let actual, _) {
            return .conflict(actual, message)
        } catch {
            return .refused("\(error)")
        }
    }

    /// What is said of a write that was done.
    static func sentence(_ done: String, _ receipt: Receipt) -> String {
        guard receipt.isChanged else { return "\(receipt.stream) is that already" }
        return "\(done): \(receipt.stream) version \(receipt.version), position \(receipt.position)"
    }
}
