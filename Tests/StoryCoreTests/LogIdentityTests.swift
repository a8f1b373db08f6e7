import StoryCore
import Testing
import TestSupport

struct LogIdentityTests {
    private let identity = LogIdentity(
        id: LogID(trusted: "this".bytes),
        ancestors: [
            LogIdentity.Ancestor(id: LogID(trusted: "parent".bytes), position: Position(9)),
            LogIdentity.Ancestor(id: LogID(trusted: "first".bytes), position: Position(4)),
        ])

    private func refusal(_ named: String?, next: UInt64) -> Failure? {
        do throws(Failure) {
            try identity.check(named.map { LogID(trusted: $0.bytes) }, next: Position(next))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a log is named by 32 digits`() {
        expect(LogID(binary: Array(0...15)).description == "000102030405060708090a0b0c0d0e0f")
        expect(LogID("9f3c".bytes)?.description == "9f3c")
        expect(LogID("".bytes) == nil && LogID("a b".bytes) == nil)
    }

    @Test func `who names this history, or none, is served`() {
        expect(refusal(nil, next: 1_000) == nil)
        expect(refusal("this", next: 1_000) == nil)
    }

    @Test func `who names an ancestor is served as far as both are the same`() {
        expect(refusal("parent", next: 1) == nil)
        expect(refusal("parent", next: 10) == nil)
        expect(refusal("parent", next: 11)?.detail == .log(identity.id, position: Position(9)))
        expect(refusal("first", next: 5) == nil)
        expect(refusal("first", next: 6)?.detail == .log(identity.id, position: Position(4)))
    }

    @Test func `who names another history is told, and never moved`() {
        let failure = refusal("other", next: 1)
        expect(failure?.code == .diverged)
        expect(failure?.code.retry == .never)
        expect(failure?.detail == .log(identity.id, position: nil))
    }
}

struct EventTagsTests {
    private func isTag(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(EventTags.isTag) }

    @Test func `a tag is printable ASCII but the space, the quote and the backslash`() {
        for byte in UInt8.min...UInt8.max {
            let isGood = byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
            expect(isTag([0x61, byte]) == isGood, "byte \(byte)")
        }
        expect(isTag([UInt8](repeating: 0x61, count: 64)))
        expect(!isTag([UInt8](repeating: 0x61, count: 65)))
    }
}

struct LongTextTests {
    private let good = Fields.story("s9", title: "A", message: "B", from: "u1", to: "u2")

    @Test(arguments: ["a\nb", "a\r\nb", "a\rb", "a\tb", "\u{3000}a", "a\u{2028}b", "a\u{A0}", "é\u{301}"])
    func `a longer text may have lines and tabs`(text: String) {
        expect(broken(PostStoryForm.self, good.with("message", .string(text))) == [:])
    }

    @Test(arguments: ["a\u{0}", "\u{1B}[2J", "a\u{7F}", "\u{80}", "a\u{9F}b"])
    func `it has no other control character`(text: String) {
        expect(broken(PostStoryForm.self, good.with("message", .string(text))) == ["message": .malformed])
        expect(broken(ReviseStoryForm.self, [JSONMember("message", .string(text))]) == ["message": .malformed])
    }

    @Test(arguments: [" ", "\n\t", "\u{3000}", "\u{A0}\u{2003}\u{2028}"])
    func `white space alone is nothing`(text: String) {
        expect(broken(PostStoryForm.self, good.with("message", .string(text))) == ["message": .empty])
        expect(broken(PostStoryForm.self, good.with("title", .string(text))) == ["title": .empty])
    }

    @Test func `white space is what Unicode says`() {
        for value in UInt32(0x20)...0xFFFF {
            guard let scalar = Unicode.Scalar(value), !(0x7F..<0xA0 ~= value) || value == 0x85 else { continue }
            let isSpace = scalar.properties.isWhitespace
            let rule = broken(PostStoryForm.self, good.with("message", .string(" \(scalar)\(scalar)")))["message"]
            expect((rule == .empty) == isSpace, "U+\(String(value, radix: 16))")
        }
    }

    @Test func `a control character is found wherever it stands`() {
        for value in UInt32(0)..<0x100 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isControl = scalar.properties.generalCategory == .control && !"\t\n\r".unicodeScalars.contains(scalar)
            for place in 0..<20 {
                let text =
                    String(repeating: "~", count: place) + String(scalar) + String(repeating: "a", count: 19 - place)
                let rule = broken(PostStoryForm.self, good.with("message", .string(text)))["message"]
                expect((rule == .malformed) == isControl, "U+\(String(value, radix: 16)) behind \(place)")
            }
        }
    }

    @Test(arguments: ["a\nb", "a\tb", "a\u{0}", "a\u{2028}b", "a\u{2029}b", "a\u{85}"])
    func `a title is one line`(text: String) {
        expect(broken(PostStoryForm.self, good.with("title", .string(text))) == ["title": .malformed])
    }
}
