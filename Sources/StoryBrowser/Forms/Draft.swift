import StoryClient

import struct FoundationEssentials.Date

/// A field of a form while it is edited.
struct DraftField: Hashable, Sendable {
    /// The name on the wire.
    let name: String
    /// The label for people, with a hint at the value.
    let label: String
    /// The initial text, or the row's newer value after a conflict.
    var original: String
    var text: String
    /// The cursor in the text, in characters.
    var cursor: Int
    /// The error of the field; nil if none is known.
    var error: String?
    /// The concurrent change of the field by another client; nil if there is none.
    var other: String?
    var meaning = Meaning.text

    /// The meaning of a field's text.
    enum Meaning: Hashable, Sendable {
        case text
        /// The ID of a row of a kind.
        case row(String)
        /// The IDs of two rows of a kind, with a comma between them.
        case twoRows(String)
    }
}

/// A form while it is filled in: text in every field.
struct Draft: Hashable, Sendable {
    /// The most characters in a field.
    static let limit = 12_000

    let title: String
    var fields: [DraftField] = []
    /// The index of the field with the focus.
    var focus = 0

    init(_ title: String) { self.title = title }

    /// Returns the form with one more field.
    func with(_ name: String, _ label: String, _ text: String = "", _ meaning: DraftField.Meaning = .text) -> Draft {
        var draft = self
        draft.fields.append(
            DraftField(name: name, label: label, original: text, text: text, cursor: text.count, meaning: meaning))
        return draft
    }

    /// Returns the form with two more fields, for the bounds of a date.
    func bounds(_ since: Date?, _ until: Date?) -> Draft {
        with("since", "since (date)", since.map(Moments.written) ?? "")
            .with("until", "until (date)", until.map(Moments.written) ?? "")
    }

    /// Returns the form with the focus on the first empty field.
    func begun() -> Draft {
        var draft = self
        draft.focus = fields.firstIndex { $0.text.isEmpty } ?? 0
        return draft
    }

    /// True if a field has other text than at first.
    var isTyped: Bool { fields.contains { $0.text != $0.original } }

    func named(_ name: String) -> DraftField? { fields.first { $0.name == name } }

    /// Returns the text of a field; nil if it is empty.
    func optional(_ name: String) -> String? { named(name).flatMap { $0.text.isEmpty ? nil : $0.text } }

    /// Moves the form to another state of the row: unchanged fields get the new values; changed ones keep their text,
    /// with the new value beside it.
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

    /// Shows errors beside their fields, and moves the focus to the first; returns the errors that belong to no field.
    mutating func show(_ wrong: [InvalidField]) -> [InvalidField] {
        for index in fields.indices {
            let errors = wrong.filter { $0.field == fields[index].name }.map(\.message)
            fields[index].error = errors.isEmpty ? nil : errors.joined(separator: "; ")
        }
        focus = fields.firstIndex { $0.error != nil } ?? focus
        return wrong.filter { entry in !fields.contains { $0.name == entry.field } }
    }
}

/// An error of a field.
struct InvalidField: Hashable, Sendable {
    let field: String
    let message: String

    init(_ field: String, _ message: String) { (self.field, self.message) = (field, message) }
}

/// The error of a form whose fields have invalid values.
struct WrongDraft: Error {
    let entries: [InvalidField]
}

/// A reader of a form's fields as typed values, which collects all errors.
struct DraftReader {
    let draft: Draft
    private(set) var wrong: [InvalidField] = []

    /// Returns the value of a field; nil if it is empty or invalid.
    mutating func value<Value>(_ name: String, _ what: String, _ read: (String) -> Value?) -> Value? {
        guard let text = draft.optional(name) else { return nil }
        guard let value = read(text) else {
            wrong.append(InvalidField(name, "must be \(what)"))
            return nil
        }
        return value
    }

    /// Reads a field as a date.
    ///
    /// - Parameter now: the moment that ages are counted back from.
    mutating func moment(_ name: String, _ now: Date) -> Date? {
        value(name, "a date, such as \(TypedMoment.examples)") { TypedMoment.read($0, now: now) }
    }

    /// Adds an error of a field.
    mutating func refuse(_ name: String, _ message: String) { wrong.append(InvalidField(name, message)) }

    mutating func id(_ name: String) -> String? {
        value(name, "an ID: letters, digits and . _ ~ -") { ContentID($0)?.text }
    }
}

extension Draft {
    /// Reads typed values from the form.
    ///
    /// - Throws: `WrongDraft` with all wrong fields.
    func read<Value>(_ values: (inout DraftReader) -> Value) throws -> Value {
        var reader = DraftReader(draft: self)
        let value = values(&reader)
        guard reader.wrong.isEmpty else { throw WrongDraft(entries: reader.wrong) }
        return value
    }
}

/// The result of submitting a form.
enum Submission: Equatable, Sendable {
    /// It was written; with a sentence about it.
    case written(String)
    /// All wrong fields, and a sentence about the whole form.
    case wrong([InvalidField], String)
    /// The row has changed since it was shown; with its present version and a sentence.
    case conflict(UInt64, String)
    /// It was refused, or could not be sent.
    case refused(String)

    /// Submits a form and returns the result.
    static func of(_ done: String, _ write: () async throws -> Receipt) async -> Submission {
        do {
            return .written(Submission.sentence(done, try await write()))
        } catch ClientError.invalid(let message, let fields) {
            return .wrong(fields.map { InvalidField($0.field, $0.message) }, message)
        } catch let error as WrongDraft {
            return .wrong(error.entries, "correct the marked fields")
        } catch ClientError.exists(let message, let field?) {
            return .wrong([InvalidField(field, "is taken")], message)
        } catch ClientError.conflict(let message, _, let actual, _) {
            return .conflict(actual, message)
        } catch {
            return .refused("\(error)")
        }
    }

    /// Returns the sentence about a completed write.
    static func sentence(_ done: String, _ receipt: Receipt) -> String {
        guard receipt.isChanged else { return "\(receipt.stream) is that already" }
        return "\(done): \(receipt.stream) version \(receipt.version), position \(receipt.position)"
    }
}
