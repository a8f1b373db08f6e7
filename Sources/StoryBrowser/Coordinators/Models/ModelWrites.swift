import StoryClient

/// The verbs of writes that every kind has the same keys and forms for.
enum ModelWrite: String {
    case post = "POST"
    case edit = "EDIT"
    case delete = "DELETE"

    init?(verb: String) { self.init(rawValue: verb) }
}

// The forms of the writes that a description tells.
extension ModelRows {
    func draft(for purpose: FormPurpose, of row: ModelRow?, in filter: ModelFilter, by user: String?) -> Draft? {
        switch purpose {
        case .filter: return draft(of: filter)
        case .new:
            guard let write = write(.post) else { return nil }
            let draft = shown(write.fields).reduce(Draft("a new \(noun)")) { draft, field in
                draft.with(
                    field.name, field.hasDefault ? "ID (or empty)" : field.formLabel,
                    initial(field, of: write, in: filter, by: user), field.meaning)
            }
            return draft.begun()
        case .edit(let id, _):
            guard let write = write(.edit) else { return nil }
            return write.fields.reduce(Draft("edit \(name(of: id))")) { draft, field in
                draft.with(field.name, field.formLabel, row?.plain(field.name) ?? "", field.meaning)
            }
        case .delete(let id, _): return write(.delete) == nil ? nil : Draft("delete \(name(of: id))?")
        case .act(let verb, let id):
            guard let write = write(verb) else { return nil }
            return write.fields.reduce(Draft("\(verb.lowercased()) \(name(of: id))")) { draft, field in
                let value = initial(field, of: write, in: filter, by: user)
                return draft.with(field.name, field.formLabel, value, field.meaning)
            }
        }
    }

    private func write(_ write: ModelWrite) -> ModelDescription.Write? { self.write(write.rawValue) }

    private func write(_ verb: String) -> ModelDescription.Write? { model?.writes.first { $0.verb == verb } }

    /// Returns the fields that the form of new content asks for: not those that the store gives a value, but for the ID
    /// where a list shows it.
    private func shown(_ fields: [ModelDescription.Field]) -> [ModelDescription.Field] {
        fields.filter { !$0.hasDefault || $0.type == "id" && model?.columns.contains($0.name) == true }
    }

    /// Returns the initial text of a field: the user whom the browser acts for in the first one that refers to a row,
    /// else the value that the list is filtered by.
    private func initial(
        _ field: ModelDescription.Field, of write: ModelDescription.Write, in filter: ModelFilter, by user: String?
    ) -> String {
        if let user, field.name == write.actor?.name { return user }
        if let value = filter.values[field.name] { return value }
        for pair in model?.computed ?? [] where pair.type == "pair" && pair.tested.contains(field.name) {
            let ids = filter.values[pair.name]?.split(separator: ",").map(String.init) ?? []
            guard ids.count == 2, let other = write.fields.first(where: { $0.name == pair.tested[0] }) else { continue }
            guard other.name != field.name else { return ids[0] }
            return initial(other, of: write, in: filter, by: user) == ids[0] ? ids[1] : ids[0]
        }
        return ""
    }

    func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission {
        switch purpose {
        case .new:
            await Submission.of("posted") {
                try await rows(client).write("POST", form: form(draft, "POST") { !$0.text.isEmpty })
            }
        case .edit(let id, let version):
            await Submission.of("revised") {
                let form = try form(draft, "EDIT") { $0.text != $0.original }
                return try await rows(client).write("EDIT", id, form: form, version: version)
            }
        case .delete(let id, let version):
            await Submission.of("deleted") { try await rows(client).write("DELETE", id, version: version) }
        case .act(let verb, let id):
            await Submission.of("done") {
                try await rows(client).write(verb, id, form: form(draft, verb) { !$0.text.isEmpty })
            }
        case .filter: .refused("a filter is not written")
        }
    }

    func write(_ verb: String, to id: String, by user: String?, client: StoreClient) async throws -> Receipt {
        guard let write = write(verb) else { throw NoSuchWrite(name: verb) }
        guard let actor = write.actor, let user else { return try await rows(client).write(verb, id) }
        let form = JSONText(quoting: [(actor.name, JSONText.quoted(user))])
        return try await rows(client).write(verb, id, form: form)
    }

    /// Returns the fields of a form that are given.
    ///
    /// - Throws: `WrongDraft` with the fields that are not what they have to be.
    private func form(_ draft: Draft, _ verb: String, _ isGiven: (DraftField) -> Bool) throws -> JSONText {
        let fields = write(verb)?.fields ?? []
        return try draft.read { reader in
            var members: [(String, String)] = []
            for field in fields {
                guard let typed = draft.named(field.name) else { continue }
                let (isGiven, isEmpty) = (isGiven(typed), typed.text.isEmpty)
                // Of a text the store tells that it is empty or missing, and all else that is wrong with the form.
                if !field.isText, isEmpty, isGiven || field.isRequired { reader.refuse(field.name, "is required") }
                guard isGiven, let json = field.json(&reader) else { continue }
                members.append((field.name, json))
            }
            return JSONText(quoting: members)
        }
    }
}

extension ModelDescription.Write {
    /// The field for the user whom the browser acts for: the first one that refers to a row; nil if none does.
    fileprivate var actor: ModelDescription.Field? { fields.first { $0.kind != nil } }
}

extension ModelDescription.Field {
    /// True if every text can be sent as its value, since the store tells of each fault of it.
    fileprivate var isText: Bool { !["number", "integer", "boolean", "choice"].contains(type) }
}
