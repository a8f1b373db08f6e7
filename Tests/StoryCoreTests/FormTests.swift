import StoryCore
import Testing
import TestSupport

/// What a form makes of some fields: the rules that are broken, by field.
func broken<F: Form>(_ form: F.Type, _ fields: FormFields) -> [String: FieldRule] {
    guard case .failure(let errors) = F.build(fields, in: PlainDirectory()) else { return [:] }
    return Dictionary(errors.entries.map { ($0.field, $0.rule) }) { first, _ in first }
}

func built<F: Form>(_ form: F.Type, _ fields: FormFields) throws -> Command<F.Fact> {
    try F.build(fields, in: PlainDirectory()).get()
}

struct SignUpFormTests {
    private let good = Fields.user("u9", name: "Aki", email: "Aki@Example.org", prefecture: 13)

    @Test func `of wrong fields a thousand are named`() {
        var fields = good
        for number in 0..<5_000 { fields = fields.with("a\(number)", 1) }
        expect(broken(SignUpForm.self, fields).count == 1_000)
    }

    @Test func `a good form is a sign-up with just what it says`() throws {
        let command = try built(SignUpForm.self, good)
        expect(command.givenID == "u9".id)
        let event = UserSignedUp(name: Text("Aki"), email: Text("Aki@Example.org"), prefecture: 13)
        expect(command.event == .signedUp(event))
        expect(try built(SignUpForm.self, good.without("id")).givenID == nil)
        expect(try built(SignUpForm.self, good.with("id", nil)).givenID == nil)
    }

    @Test(
        arguments: [
            ("id", "", .empty), ("id", "a b", .malformed), ("id", "é", .malformed), ("id", 7, .wrongType),
            ("id", .string(String(repeating: "a", count: 65)), .tooLong),
            ("name", nil, .missing), ("name", "", .empty), ("name", 7, .wrongType), ("name", true, .wrongType),
            ("name", .array("[]".bytes), .wrongType), ("name", .object("{}".bytes), .wrongType),
            ("name", .string(String(repeating: "a", count: 51)), .tooLong),
            ("name", .string(String(repeating: "👨‍👩‍👧‍👦", count: 51)), .tooLong),
            ("email", nil, .missing), ("email", "", .empty), ("email", "aki", .malformed), ("email", 1, .wrongType),
            ("prefecture", nil, .notSelected), ("prefecture", 0, .outOfRange), ("prefecture", 48, .outOfRange),
            ("prefecture", 1.5, .outOfRange), ("prefecture", "13", .wrongType), ("prefecture", -1, .outOfRange),
            ("prefecture", .integer(.max), .outOfRange), ("prefecture", 1e300, .outOfRange),
            ("name", "\u{0}", .malformed), ("name", "a\nb", .malformed), ("name", "a\tb", .malformed),
            ("name", "a\u{7F}", .malformed), ("name", "a\u{85}b", .malformed), ("name", "a\u{2028}b", .malformed),
            ("name", " ", .empty), ("name", "\u{3000}\u{A0}\n\t", .empty), ("email", " ", .empty),
            ("email", "a\u{9F}@b.c", .malformed),
            ("nickname", "A", .unknownField), ("Name", "A", .unknownField), ("", "A", .unknownField),
        ] as [(String, JSONMember.Value, FieldRule)])
    func `each wrong field has its rule`(field: String, value: JSONMember.Value, rule: FieldRule) {
        expect(broken(SignUpForm.self, good.with(field, value)) == [field: rule])
    }

    @Test func `a field that is not there at all is missing, a selection not selected`() {
        expect(broken(SignUpForm.self, good.without("name")) == ["name": .missing])
        expect(broken(SignUpForm.self, good.without("prefecture")) == ["prefecture": .notSelected])
        expect(
            broken(SignUpForm.self, []) == ["name": .missing, "email": .missing, "prefecture": .notSelected])
    }

    @Test(
        arguments: [
            ("name", .string(String(repeating: "👨‍👩‍👧‍👦", count: 50))), ("name", " a "), ("name", "\u{A0}\u{A1}\u{200B}"),
            ("name", "\u{2027}\u{202A}"),
            ("prefecture", 1), ("prefecture", 47), ("prefecture", 13.0),
            ("id", .string(String(repeating: "~", count: 64))),
        ] as [(String, JSONMember.Value)])
    func `what is just within the rules is taken`(field: String, value: JSONMember.Value) {
        expect(broken(SignUpForm.self, good.with(field, value)) == [:])
    }

    @Test(arguments: [
        "a@b.c", "a.b+c@d-e.f.g", "\"x\"@y.z", "名@例え.jp", "A@B.C",
    ])
    func `an address has one at sign and a dot in its domain`(email: String) {
        expect(broken(SignUpForm.self, good.with("email", .string(email))) == [:])
    }

    @Test(arguments: [
        "@", "a@", "@b.c", "a@b", "a@.b", "a@b.", "a@b@c.d", "a b@c.d", "a@b .c", "a@b.c\n", "a\u{0}@b.c", "a.b",
        "a@b.c\u{7F}", "a@.", " a@b.c",
    ])
    func `what is no address is malformed`(email: String) {
        expect(broken(SignUpForm.self, good.with("email", .string(email))) == ["email": .malformed])
    }

    @Test func `an address has at most 254 bytes`() {
        let rest = "@example.org"
        let longest = String(repeating: "a", count: 254 - rest.utf8.count) + rest
        expect(broken(SignUpForm.self, good.with("email", .string(longest))) == [:])
        expect(broken(SignUpForm.self, good.with("email", .string("a" + longest))) == ["email": .tooLong])
    }

    @Test func `every wrong field is told at once, and the failure names them`() throws {
        let fields: FormFields = .of([
            "id": "a b", "name": "", "email": "aki", "prefecture": 99, "colour": "red", "size": 3,
        ])
        let all: [String: FieldRule] = [
            "id": .malformed, "name": .empty, "email": .malformed, "prefecture": .outOfRange,
            "colour": .unknownField, "size": .unknownField,
        ]
        expect(broken(SignUpForm.self, fields) == all)
        guard case .failure(let errors) = SignUpForm.build(fields, in: PlainDirectory()) else {
            Issue.record("it was taken")
            return
        }
        expect(errors.rule(of: .email) == .malformed)
        let failure = errors.failure
        expect(failure.code == .invalid)
        guard case .fields(let told) = failure.detail else {
            Issue.record("no fields in \(failure)")
            return
        }
        expect(told.count == 6)
        expect(told.allSatisfy { !$0.message.isEmpty })
    }

    @Test func `addresses are folded by ASCII case alone`() {
        expect(EmailAddress.folded("AzÄ@X.ORG".bytes) == "azÄ@x.org".bytes)
    }
}

struct ReviseUserFormTests {
    @Test func `a revision has just the fields that it gives`() throws {
        let nothing = UserRevised(name: nil, email: nil, prefecture: nil)
        expect(try built(ReviseUserForm.self, []).event == .revised(nothing))
        let event = try built(ReviseUserForm.self, .of(["prefecture": 47, "name": nil])).event
        expect(event == .revised(UserRevised(name: nil, email: nil, prefecture: 47)))
    }

    @Test func `the same rules hold, and an ID is no field of it`() {
        let fields: FormFields = .of(["id": "u1", "name": "", "email": "x", "prefecture": 0])
        let all: [String: FieldRule] = [
            "id": .unknownField, "name": .empty, "email": .malformed, "prefecture": .outOfRange,
        ]
        expect(broken(ReviseUserForm.self, fields) == all)
    }
}
