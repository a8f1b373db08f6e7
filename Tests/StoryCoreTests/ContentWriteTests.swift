import StoryCore
import Testing
import TestSupport

/// What each kind's schema says of its writes, beside what its commands take.
struct ContentWriteTests {
    private static let options = WriteOptions()

    private func writes(_ kind: Kind) -> [RequestAction] {
        [
            .edit(kind, "1".id, [], ContentWriteTests.options), .like(kind, "1".id, [], ContentWriteTests.options),
            .unlike(kind, "1".id, [], ContentWriteTests.options), .see(kind, "1".id, ContentWriteTests.options),
            .delete(kind, "1".id, ContentWriteTests.options),
        ]
    }

    private func code(_ request: RequestAction) -> ErrorCode? {
        guard case .write(.content(let write)) = request else { return nil }
        guard case .failure(let failure) = write.command(of: write.kind.schema, in: TrustingDirectory()) else {
            return nil
        }
        return failure.code
    }

    @Test(arguments: Kind.allCases) func `a kind takes the verbs that its schema names`(kind: Kind) throws {
        for request in writes(kind) {
            let isTaken = code(request) != .unknown
            let verbs = kind.schema.writes.map { Verb.write($0.verb) }
            expect(isTaken == verbs.contains(request.verb), "\(kind.name) \(request.verb)")
        }
        expect(code(.post(kind, [], ContentWriteTests.options)) == .invalid)
    }

    @Test(arguments: Kind.allCases)
    func `of an empty form those fields are missing that its description requires`(kind: Kind) {
        let actions: [ContentAction] = [.post([]), .edit([]), .like([]), .unlike([])]
        for action in actions {
            guard let described = kind.schema.write(action.verb) else { continue }
            let write = ContentWrite(kind: kind, id: nil, action: action, options: ContentWriteTests.options)
            var missing: [String] = []
            if case .failure(let failure) = write.command(of: kind.schema, in: TrustingDirectory()),
                case .fields(let fields) = failure.detail
            {
                missing = fields.map(\.field)
            }
            expect(described.fields.filter(\.isRequired).map(\.name) == missing, "\(kind.name) \(action.verb)")
        }
    }

    private func fields(_ kind: Kind, _ verb: WriteVerb = .post) -> [FormFieldSchema] {
        kind.schema.write(verb)?.fields ?? []
    }

    @Test func `the fields of a description are those of the form, each with its limits`() {
        expect(fields(.stories).map(\.name) == PostStoryForm.FieldID.allCases.map(\.rawValue))
        expect(fields(.photos).map(\.name) == AddPhotoForm.FieldID.allCases.map(\.rawValue))
        expect(fields(.photos, .edit).map(\.name) == RevisePhotoForm.FieldID.allCases.map(\.rawValue))
        let (user, story): (FormFieldType, FormFieldType) = (.reference(.users), .reference(.stories))
        expect(
            fields(.stories).map(\.type) == [.newID, .line(limit: 120), .text(limit: 10_000), user, user, .date])
        expect(fields(.messages).map(\.type) == [.newID, .text(limit: 10_000), user, user, story, .date])
        expect(fields(.users).map(\.type) == [.newID, .line(limit: 50), .email, .selection(1...47)])
        expect(fields(.stories, .like).map(\.type) == [user])
        let positive = FormFieldType.number(.above(0))
        expect(
            fields(.photos).map(\.type) == [
                .newID, user, positive, positive, .number(.within(-20...20)), positive, .fraction,
                .choice(["none", "normal", "redEye"]), .date,
            ])
    }

    @Test func `every way from a row leads from its fields to a kind, and to a filter of that`() {
        for kind in Catalogue.standard.kinds {
            let names = ["id"] + kind.fields.map(\.name)
            for link in kind.view.links {
                let target = Catalogue.standard[link.kind]
                let filter = target.filters.first { $0.name == link.filter }
                expect(link.fields.allSatisfy(names.contains) && (link.filter == nil) == (filter == nil), "\(link)")
                guard let filter else { continue }
                let referred = target.reference(of: filter.name)
                expect(link.fields.count == filter.placeholder.split(separator: ",").count, "\(link)")
                for field in link.fields {
                    let index = kind.fields.firstIndex { $0.name == field }
                    expect((index.map { kind.reference(of: $0) } ?? kind.kind) == referred, "\(link)")
                }
            }
            expect(kind.view.columns.allSatisfy(names.contains))
            expect(kind.view.title.map(names.contains) ?? true)
            // No key has two meanings on a row of the kind, or is one that works everywhere in a browser.
            let keys = kind.view.links.map(\.key) + kind.writes.compactMap(\.verb.key)
            expect(Set(keys).count == keys.count && Set(keys).isDisjoint(with: "sSjkgGq?/01234567".map { String($0) }))
        }
    }
}
