import StoryCore
import Testing
import TestSupport

struct IdentityTests {
    private static let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-".utf8)

    @Test func `the alphabet holds its 66 bytes and no other`() {
        expect(Self.alphabet.count == 66)
        for byte in UInt8.min...UInt8.max {
            expect(Alphabet.holds(byte) == Self.alphabet.contains(byte), "byte \(byte)")
        }
    }

    @Test func `every kind of name takes the alphabet and refuses each other byte`() {
        for byte in UInt8.min...UInt8.max {
            let isGood = Self.alphabet.contains(byte)
            let bytes: [UInt8] = [0x61, byte, 0x62]
            expect((Identifier(bytes) != nil) == isGood)
            expect((EventType(bytes) != nil) == isGood)
            expect((RequestKey(bytes) != nil) == isGood)
            expect((Tag(bytes) != nil) == isGood)
            expect((CategoryName(bytes) != nil) == (isGood && byte != 0x2D))
            expect((StreamName("c-".bytes + bytes) != nil) == isGood)
        }
    }

    @Test(arguments: [(0, false), (1, true), (32, true), (33, true), (64, true), (65, false), (128, false)])
    func `an ID, a type and a category have 1 to 64 bytes`(count: Int, isGood: Bool) {
        let bytes = [UInt8](repeating: 0x61, count: count)
        expect((Identifier(bytes) != nil) == isGood)
        expect((EventType(bytes) != nil) == isGood)
        expect((CategoryName(bytes) != nil) == isGood)
    }

    @Test func `a key has 1 to 128 bytes and a tag 1 to 32`() {
        for count in [1, 32, 33, 128, 129] {
            let bytes = [UInt8](repeating: 0x61, count: count)
            expect((RequestKey(bytes) != nil) == (count <= 128))
            expect((Tag(bytes) != nil) == (count <= 32))
        }
        expect(RequestKey([]) == nil)
        expect(Tag([]) == nil)
    }

    @Test func `a stream's name is split at its first dash`() throws {
        let name = try require(StreamName("log-a-b".bytes))
        expect(name.category == "log".category)
        expect(name.id == "a-b".id)
        expect(name == StreamName(category: "log".category, id: "a-b".id))
        expect(name.hashValue == "log-a-b".stream.hashValue)
    }

    @Test(arguments: ["", "-", "a", "a-", "-a", "--", "story", "a b-c", "a/b-c", "é-1"])
    func `what is no CATEGORY-ID is no stream`(text: String) { expect(StreamName(text.bytes) == nil) }

    @Test func `a stream's category and ID may each be 64 bytes long, not 65`() {
        let long = [UInt8](repeating: 0x61, count: 64)
        expect(StreamName(long + [0x2D] + long) != nil)
        expect(StreamName(long + [0x61, 0x2D] + long) == nil)
        expect(StreamName(long + [0x2D] + long + [0x61]) == nil)
        expect(StreamName([0x61, 0x2D] + long + [0x2D]) == nil)
        expect(StreamName([0x61, 0x2D, 0x2D]) != nil)
    }

    @Test func `text is compared by its bytes, not as Swift strings are`() {
        expect(Text("\u{E9}") != Text("e\u{301}"))
        expect("\u{E9}" == "e\u{301}")
    }

    @Test func `text is counted in grapheme clusters`() {
        let family = "👨‍👩‍👧‍👦"
        expect(!Text(String(repeating: family, count: 50)).exceeds(50))
        expect(Text(String(repeating: family, count: 51)).exceeds(50))
        expect(!Text("\r\n").exceeds(1))
        expect(Text("ab").exceeds(1))
        expect(!Text("").exceeds(0))
    }

    @Test func `positions and versions count up, and nothing stands before the first`() {
        expect(Position.zero.next == Position(1))
        expect(Position.zero.previous == .zero)
        expect(Position(7).previous == Position(6))
        expect(Version.zero.next == Version(1))
        expect(Position.max.value == (1 << 53) - 1)
    }

    @Test func `each kind is found by its name and by its category, and by nothing else`() {
        let catalogue = Catalogue.standard
        for kind in catalogue.kinds {
            expect(kind.name.bytes.withBytes { catalogue.kind(named: $0) } == kind.kind)
            expect(kind.category.bytes.withBytes { catalogue.kind(category: $0) } == kind.kind)
            expect(kind.category.bytes.withBytes { catalogue.kind(named: $0) } == nil)
            expect(kind.name.uppercased().bytes.withBytes { catalogue.kind(named: $0) } == nil)
        }
        let names = [Kind.users, .stories, .messages, .photos].map { catalogue[$0].name }
        expect(names == ["users", "stories", "messages", "photos"])
        expect(Kind.stories.stream("12345".id) == "story-12345".stream)
    }
}

struct GivenIdentifierTests {
    private func given(_ position: UInt64, taken: Set<Identifier> = []) -> Identifier {
        .given(at: Position(position)) { taken.contains($0) }
    }

    @Test func `the first are a letter and a digit`() {
        expect(given(1) == "a1".id)
        expect(given(35) == "az".id)
        expect(given(36) == "b10".id)
        expect(given(1_295) == "bzz".id)
        expect(given(1_296) == "c100".id)
    }

    @Test func `they are good IDs, short, unique and increasing`() {
        var random = SplitMix64(seed: 1)
        var positions = (0..<2_000).map { UInt64($0) }
        positions += (0..<2_000).map { _ in UInt64.random(in: 0...Position.max.value, using: &random) }
        let sorted = Set(positions).sorted()
        let ids = sorted.map { given($0) }
        for (left, right) in zip(ids, ids.dropFirst()) {
            expect(left.bytes.lexicographicallyPrecedes(right.bytes), "\(left) \(right)")
        }
        expect(ids.allSatisfy { Identifier($0.bytes) == $0 && $0.bytes.count <= 12 })
        expect(given(UInt64.max).bytes.count <= 64)
    }

    @Test func `one that a client took already is made another, still in order`() {
        let other = given(36, taken: ["b10".id, "b10~".id])
        expect(other == "b10~~".id)
        expect(other.bytes.lexicographicallyPrecedes(given(37).bytes))
    }

    @Test func `it ends even when everything is taken`() {
        expect(Identifier.given(at: Position(5)) { _ in true }.bytes.count == 64)
    }
}
