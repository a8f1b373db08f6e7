import StoryCore
import TestSupport

/// Makes requests out of few names, so that they meet.
struct Draw {
    /// How large appended data may be.
    var largest = 40
    /// When things happened.
    var times: [Instant] = []
    /// To what it happened; what users of the store wrote themselves is not among it.
    var subjects: [(kind: Kind, id: String, time: Instant)] = []
    private var random: SplitMix64
    private var keys = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    // MARK: Writes

    /// A write, and its line behind the tag.
    mutating func write(_ number: Int) -> (Write, String) {
        switch Int.random(in: 0..<24, using: &random) {
        case 0...7: append(number)
        case 8, 9: appendMany(number)
        case 10, 11: postUser(number)
        case 12, 13: postStory(number)
        case 14, 15: postMessage(number)
        case 16: postPhoto(number)
        case 17: edit(number)
        case 18, 19: like(number)
        case 20: see(number)
        case 21: delete(number)
        default: append(number, isKeyed: true)
        }
    }

    /// A write that nothing is in the way of.
    mutating func writeThatSucceeds(_ number: Int) -> (Write, String) {
        let event = appended("note-a", nil, 0, of: number)
        let line = "APPEND note-a \(body(event, number, isNamed: false))"
        return (Write(content: .append([event]), version: nil, key: nil), line)
    }

    private mutating func append(_ number: Int, isKeyed: Bool = false) -> (Write, String) {
        let stream = noteStream()
        let count = random.oneIn(3) ? Int.random(in: 2...4, using: &random) : 1
        let events = (0..<count).map { appended(stream, nil, $0, of: number) }
        let (key, version) = (isKeyed || random.oneIn(5) ? newKey() : nil, self.version())
        let bodies = events.map { body($0, number, isNamed: false) }.joined(separator: ",")
        let json = count == 1 ? bodies : "[\(bodies)]"
        return (
            Write(content: .append(events), version: version, key: key),
            "APPEND \(stream)\(options(key, version, nil)) \(json)"
        )
    }

    private mutating func appendMany(_ number: Int) -> (Write, String) {
        let count = Int.random(in: 1...4, using: &random)
        let events = (0..<count).map { appended(noteStream(), version(), $0, of: number) }
        let key = random.oneIn(3) ? newKey() : nil
        let bodies = events.map { body($0, number, isNamed: true) }.joined(separator: ",")
        return (
            Write(content: .appendMany(events), version: nil, key: key), "APPEND *\(options(key, nil, nil)) [\(bodies)]"
        )
    }

    private mutating func appended(_ stream: String, _ version: Int?, _ index: Int, of number: Int) -> Write.Appended {
        let size = random.oneIn(3) ? Int.random(in: 0...largest, using: &random) : 0
        let text = #""c":"\#(Draw.canary(of: number))\#(index)","x":"\#(String(repeating: "x", count: size))""#
        let data = #"{"n":\#(index),\#(text)}"#
        return Write.Appended(stream: stream, version: version, type: random.pick("Noted", "Dropped"), data: data)
    }

    private mutating func body(_ event: Write.Appended, _ number: Int, isNamed: Bool) -> String {
        let stream = isNamed ? #""stream":"\#(event.stream)","# : ""
        let version = isNamed ? event.version.map { #""version":\#($0),"# } ?? "" : ""
        let isTagged = random.oneIn(6) || number % 2 == 0
        let tags = isTagged ? #","tags":["t:\#(number % 12)","n:\#(number % 3)"]"# : ""
        return #"{\#(stream)\#(version)"type":"\#(event.type)","data":\#(event.data),"meta":{"r":\#(number)}\#(tags)}"#
    }

    private mutating func postUser(_ number: Int) -> (Write, String) {
        let id = name("u", 5)
        let email = random.oneIn(4) ? "\(name("u", 5))@example.org" : "\(id)@example.org"
        let form =
            #"{"id":"\#(id)","name":"\#(random.pick("Aki", "Mio"))","email":"\#(email)","prefecture":\#(prefecture())}"#
        return self.form(.postUser(id: id, email: email), "POST users", number, form)
    }

    private mutating func postStory(_ number: Int) -> (Write, String) {
        let (id, sender, recipient) = (name("s", 6), user(), user())
        if random.oneIn(12) {
            return (
                Write(content: .malformed(stream: "story-\(id)"), version: nil, key: nil),
                #"POST stories {"id":"\#(id)","title":"","message":"x","sender":"\#(sender)"}"#
            )
        }
        let form =
            #"{"id":"\#(id)","title":"\#(title())","message":"m","sender":"\#(sender)","recipient":"\#(recipient)"}"#
        return self.form(.postStory(id: id, sender: sender, recipient: recipient), "POST stories", number, form)
    }

    private mutating func postMessage(_ number: Int) -> (Write, String) {
        let (id, sender, recipient) = (name("m", 8), user(), user())
        let story = random.oneIn(3) ? name("s", 6) : nil
        let about = story.map { #","story":"\#($0)""# } ?? ""
        let form = #"{"id":"\#(id)","text":"t","sender":"\#(sender)","recipient":"\#(recipient)"\#(about)}"#
        let content = Write.Content.postMessage(id: id, sender: sender, recipient: recipient, story: story)
        return self.form(content, "POST messages", number, form)
    }

    private mutating func postPhoto(_ number: Int) -> (Write, String) {
        let (id, owner) = (name("p", 4), user())
        let form =
            #"{"id":"\#(id)","owner":"\#(owner)","iso":\#(random.pick(100, 400)),"exposureValue":\#(value()),"#
            + #""exposureDuration":"1/125"}"#
        return self.form(.postPhoto(id: id, owner: owner), "POST photos", number, form)
    }

    private mutating func edit(_ number: Int) -> (Write, String) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let (id, name) = (user(), random.pick("Aki", "Ren"))
            return form(.editUser(id: id, name: name, email: nil), "EDIT users/\(id)", number, #"{"name":"\#(name)"}"#)
        case 1:
            let (id, email) = (user(), "\(name("u", 5))@example.org")
            return form(
                .editUser(id: id, name: nil, email: email), "EDIT users/\(id)", number, #"{"email":"\#(email)"}"#)
        case 2:
            let (id, title) = (name("s", 6), self.title())
            return form(.editStory(id: id, title: title), "EDIT stories/\(id)", number, #"{"title":"\#(title)"}"#)
        default:
            let (id, value) = (name("p", 4), self.value())
            let content = Write.Content.editPhoto(id: id, exposureValue: value)
            return form(content, "EDIT photos/\(id)", number, #"{"exposureValue":\#(value)}"#)
        }
    }

    private mutating func like(_ number: Int) -> (Write, String) {
        let (id, user) = (name("s", 6), random.pick("u1", "u2"))
        let isLiking = !random.oneIn(3)
        let content = isLiking ? Write.Content.like(id: id, user: user) : .unlike(id: id, user: user)
        return form(content, "\(isLiking ? "LIKE" : "UNLIKE") stories/\(id)", number, #"{"user":"\#(user)"}"#)
    }

    private mutating func see(_ number: Int) -> (Write, String) {
        let id = name("m", 8)
        return form(.see(id: id), "SEE messages/\(id)", number, nil)
    }

    private mutating func delete(_ number: Int) -> (Write, String) {
        let (category, kind, id) = random.pick(
            ("story", "stories", name("s", 6)), ("message", "messages", name("m", 8)), ("photo", "photos", name("p", 4))
        )
        return form(.delete(category: category, id: id), "DELETE \(kind)/\(id)", number, nil)
    }

    private mutating func form(
        _ content: Write.Content, _ verb: String, _ number: Int, _ form: String?
    ) -> (Write, String) {
        let (key, version) = (random.oneIn(6) ? newKey() : nil, self.version())
        return (
            Write(content: content, version: version, key: key),
            verb + options(key, version, number) + (form.map { " \($0)" } ?? "")
        )
    }

    // MARK: Parts

    private func options(_ key: String?, _ version: Int?, _ number: Int?) -> String {
        (key.map { " key=\($0)" } ?? "") + (version.map { " version=\($0)" } ?? "")
            + (number.map { #" meta="{\"r\":\#($0)}""# } ?? "")
    }

    /// One that was not used before, or one that may have been.
    private mutating func newKey() -> String {
        keys += 1
        return "k\(random.oneIn(5) ? Int.random(in: 1...keys, using: &random) : keys)"
    }

    private mutating func version() -> Int? { random.oneIn(8) ? Int.random(in: 0...4, using: &random) : nil }
    private mutating func name(_ letter: String, _ count: Int) -> String {
        "\(letter)\(Int.random(in: 1...count, using: &random))"
    }
    private mutating func user() -> String { random.oneIn(30) ? "u9" : name("u", random.oneIn(3) ? 5 : 2) }
    private mutating func noteStream() -> String { random.pick("note-a", "note-b", "log-c", "log-d-e") }
    private mutating func title() -> String { random.pick("A", "A!", "B", "Ab") }
    private mutating func prefecture() -> Int { random.pick(1, 13, 47) }
    private mutating func value() -> Int { random.pick(-2, 0, 1) }

    // MARK: Questions

    /// - Parameter pages: ends of pages that can be asked on from.
    mutating func query(_ head: Int, after pages: [Query.Page]) -> Query {
        let kind = random.pick(Kind.users, .stories, .messages, .photos)
        switch Int.random(in: 0..<21, using: &random) {
        case 0...3: return .get(kind, id(of: kind))
        case 4...7:
            let sort = kind.sorts.randomElement(using: &random) ?? .date
            return .list(kind, filters(of: kind), sort, order(), limit: random.pick(1, 1, 2, 50))
        case 8, 9:
            let filters = filters(of: kind)
            // Without a further number, so that a seed that finds something finds it still.
            guard head > 0, head % 3 == 0 else { return .count(kind, filters) }
            let category = head % 2 == 0 ? Catalogue.standard[kind].category : nil
            var scope = EventScope(category: category, type: head % 4 < 2 ? "Noted" : "StoryLiked")
            if head % 9 < 6 { scope = EventScope(category: head % 2 == 0 ? "note" : nil, tags: Draw.tags(head)) }
            return .countEvents(scope, from: head % 5 == 0 ? head / 2 : nil, to: head % 7 == 0 ? head - 1 : nil)
        case 10, 11:
            let from = random.oneIn(2) ? Int.random(in: 1...max(1, head), using: &random) : nil
            var scope = scope()
            if head % 2 == 1 { scope.tags = Draw.tags(head) }
            return .read(scope, from: from, order(), limit: random.pick(2, 10, 1_000))
        case 12:
            let category = random.pick(nil, "note", "story")
            return head % 2 == 0 ? .streams(category: category) : .types(category: category)
        case 13: return random.oneIn(2) ? .checkpoint : .ping
        case 14: return random.oneIn(2) ? .verify : .ping
        case 15, 16:
            if random.oneIn(2), let (kind, id, time) = subjects.randomElement(using: &random) {
                return .past(kind, id, at: .time(Instant(milliseconds: time.milliseconds - random.pick(0, 1))))
            }
            let position = Int.random(in: 1...(head + 2), using: &random)
            return .past(
                kind, id(of: kind),
                at: random.oneIn(2) ? time().map { .time($0) } ?? .position(position) : .position(position))
        case 17, 18: return pages.randomElement(using: &random).map { .page(after: $0) } ?? .ping
        case 19: return random.oneIn(6) ? .quit : .stats
        default: return .ping
        }
    }

    mutating func follower() -> Follower.Scope {
        let kind = random.pick(Kind.stories, .messages, .users, .photos)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1, 2:
            var scope = self.scope()
            scope.type = random.oneIn(4) ? random.pick("Noted", "StoryLiked") : nil
            if keys % 3 == 0 { scope.tags = Draw.tags(keys / 3) }
            return .events(scope)
        case 3: return .row(kind, id(of: kind))
        default: return .list(kind, filters(of: kind))
        }
    }

    /// One or two of the tags that events have, of which some begin like others.
    static func tags(_ number: Int) -> [String] {
        let first = number % 4 == 0 ? "n:\(number % 3)" : "t:\(number % 12)"
        return number % 5 < 2 ? [first] : [first, "n:\((number + 1) % 3)"]
    }

    private mutating func scope() -> EventScope {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: EventScope(stream: noteStream())
        case 1: EventScope(stream: "story-\(name("s", 6))")
        case 2: EventScope(category: random.pick("note", "story", "message"))
        default: EventScope()
        }
    }

    private mutating func order() -> Order { random.oneIn(2) ? .ascending : .descending }

    private mutating func id(of kind: Kind) -> String {
        switch kind {
        case .users: name("u", 5)
        case .stories: name("s", 6)
        case .messages: name("m", 8)
        default: name("p", 4)
        }
    }

    /// About when something happened; nil while nothing has.
    private mutating func time() -> Instant? {
        times.randomElement(using: &random).map {
            Instant(milliseconds: $0.milliseconds + Int64(random.pick(-1, 0, 0, 1)))
        }
    }

    private mutating func filters(of kind: Kind) -> [PlainFilter] {
        let since = random.oneIn(8) ? time().map { PlainFilter.since($0) } : nil
        let until = random.oneIn(8) ? time().map { PlainFilter.until($0) } : nil
        return conditions(of: kind) + [since, until].compactMap { $0 }
    }

    /// Some of the filters that a kind has, each once.
    private mutating func conditions(of kind: Kind) -> [PlainFilter] {
        guard random.oneIn(2) else { return [] }
        let (one, other) = (name("u", 3).id, name("u", 3).id)
        let filters: [PlainFilter] =
            switch kind {
            case .users: [.prefecture(13), .email(Array("u1@example.org".utf8))]
            case .stories: [.sender(one), .recipient(other)]
            case .messages:
                [.sender(one), .recipient(other), .story(name("s", 6).id), .unseen(random.oneIn(2))]
                    + (one == other ? [] : [.between(one, other)])
            default: [.owner(one)]
            }
        return filters.filter { _ in random.oneIn(2) }
    }
}
