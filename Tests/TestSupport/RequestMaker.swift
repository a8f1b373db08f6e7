package import StoryCore

/// Makes writes of every sort from a seed, good ones and some that are refused.
///
/// Names, titles, dates and numbers come from small sets, so that many rows have equal sort keys.
package struct RequestMaker {
    private var random: SplitMix64
    private var counts: [Kind: Int] = [:]
    private var keys = 0

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Signs up enough users for the rest to have somebody to name.
    package mutating func opening() -> [RequestAction] { (0..<5).map { _ in postUser() } }

    package mutating func next() -> RequestAction {
        switch Int.random(in: 0..<26, using: &random) {
        case 0: postUser()
        case 1...5: postStory()
        case 6...10: postMessage()
        case 11...14: postPhoto()
        case 15: .edit(.users, name(.users), revisedUser(), options())
        case 16: .edit(.stories, name(.stories), .of(["title": .string(title())]), options())
        case 17: .edit(.photos, name(.photos), .of(["exposureValue": .integer(exposureValue())]), options())
        case 18...20: .like(.stories, name(.stories), fan(), options())
        case 21: .unlike(.stories, name(.stories), fan(), options())
        case 22, 23: .see(.messages, name(.messages), options())
        case 24: delete(random.pick(.stories, .messages, .photos))
        default: .append(random.pick("note-a", "note-b", "log-a-b").stream, proposals(), options(keyedOneIn: 2))
        }
    }

    /// Few like, so that some like again and some take it back.
    private mutating func fan() -> FormFields { .of(["user": .string(random.pick("u1", "u2"))]) }

    private mutating func delete(_ kind: Kind) -> RequestAction { .delete(kind, name(kind), options()) }

    private mutating func postUser() -> RequestAction {
        let id = newName(.users)
        let email = random.pick("\(id)@Example.org", "\(id.uppercased())@b.example", "x.\(id)@example.org")
        let name = random.pick("Aki", "Mio", "Aki ", "Äki", "")
        let fields = Fields.user(id, name: name + (random.oneIn(3) ? id : "x"), email: email, prefecture: prefecture())
        return .post(.users, fields, options())
    }

    private mutating func postStory() -> RequestAction {
        let fields = Fields.story(
            newName(.stories), title: title(), from: name(.users).description, to: name(.users).description,
            date: date())
        return .post(.stories, fields, options())
    }

    private mutating func postMessage() -> RequestAction {
        let fields = Fields.message(
            newName(.messages), from: name(.users).description, to: name(.users).description,
            about: random.oneIn(3) ? name(.stories).description : nil, date: date())
        return .post(.messages, fields, options())
    }

    private mutating func postPhoto() -> RequestAction {
        var fields = Fields.photo(
            newName(.photos), owner: name(.users).description, iso: Double(random.pick(100, 400, 6_400)),
            exposureValue: Double(exposureValue()), duration: random.pick("1/125", "2/250", "1/60", "30/1"),
            date: date())
        if random.oneIn(2) { fields = fields.with("focalLength", .integer(random.pick(28, 50, 85))) }
        if random.oneIn(2) { fields = fields.with("lensAperture", .number(random.pick(1.4, 2.8, 5.6))) }
        if random.oneIn(2) { fields = fields.with("flash", .string(random.pick("none", "normal", "redEye"))) }
        return .post(.photos, fields, options())
    }

    private mutating func revisedUser() -> FormFields {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .of(["name": .string(random.pick("Aki", "Mio", "Ren"))])
        case 1: .of(["email": .string("\(random.pick("new", "NEW", "old"))@example.org")])
        default: .of(["prefecture": .integer(prefecture())])
        }
    }

    private mutating func proposals() -> [EventProposal] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let data = "{\"n\":\(random.pick(1, 2))}".view
            return EventProposal(type: random.pick("Noted", "Dropped").type, data: data, meta: nil, tags: tags())
        }
    }

    /// Few tags, of which some are the beginning of others, and some are there twice.
    private mutating func tags() -> ByteView? {
        let count = random.pick(0, 0, 1, 2, 3)
        return EventTags.text((0..<count).map { _ in random.pick("x:1", "x:11", "x", "vip", "c:a") })
    }

    private mutating func title() -> String {
        random.pick("A", "A!", "B", "Ab", "一話", "A b", String(repeating: "x", count: 120))
    }

    private mutating func date() -> String? {
        random.pick(nil, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "1969-12-31T23:59:59.999Z")
    }

    private mutating func prefecture() -> Int64 { random.pick(1, 13, 47) }
    private mutating func exposureValue() -> Int64 { random.pick(-2, 0, 1, 1) }

    private mutating func options(keyedOneIn rarity: Int = 8) -> WriteOptions {
        keys += 1
        let key = random.oneIn(rarity) ? "k\(random.oneIn(4) ? 1 : keys)".key : nil
        return WriteOptions(key: key, version: random.oneIn(30) ? Version(1) : nil)
    }

    private mutating func newName(_ kind: Kind) -> String {
        counts[kind, default: 0] += 1
        return "\(kind.name.prefix(1))\(counts[kind, default: 0])"
    }

    /// The name of one that was posted; it may be gone.
    private mutating func name(_ kind: Kind) -> Identifier {
        "\(kind.name.prefix(1))\(Int.random(in: 1...max(counts[kind, default: 1], 1), using: &random))".id
    }
}

extension EngineHarness {
    /// Sends so many random writes, a second apart.
    package func run(_ maker: inout RequestMaker, _ count: Int) {
        for _ in 0..<count {
            now = Instant(milliseconds: now.milliseconds + 1_000)
            ask(maker.next())
        }
    }

    /// A world of random writes.
    package static func random(seed: UInt64, _ count: Int) -> (harness: EngineHarness, maker: RequestMaker) {
        let harness = EngineHarness()
        var maker = RequestMaker(seed: seed)
        for request in maker.opening() { harness.ask(request) }
        harness.run(&maker, count)
        return (harness, maker)
    }
}
