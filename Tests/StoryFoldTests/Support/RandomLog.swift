import StoryCore
import TestSupport

/// Random logs of every kind and type of event, misfits and foreign events among them.
struct RandomLog {
    private var random: SplitMix64
    private var heads: [String: (number: UInt64, version: UInt64)] = [:]
    private var lastKey: String?
    private(set) var events: [LoggedEvent] = []
    /// True when no two users may have one address.
    private let hasDistinctEmails: Bool

    init(seed: UInt64, count: Int, hasDistinctEmails: Bool = false) {
        random = SplitMix64(seed: seed)
        self.hasDistinctEmails = hasDistinctEmails
        for _ in 0..<count { addEvent() }
    }

    private mutating func addEvent() {
        let category = random.pick("story", "story", "message", "message", "user", "photo", "note", "note.x")
        let stream = "\(category)-\(random.pick("a", "b", "c", "d", "e", "f", "g", "h"))\(random.next() % 40)"
        let head = heads[stream] ?? (UInt64(heads.count + 1), 0)
        heads[stream] = (head.number, head.version + 1)
        let position = UInt64(events.count + 1)
        let time = Instant(milliseconds: 1_800_000_000_000 + Int64(position) * 1_000)
        if random.oneIn(3) { lastKey = random.oneIn(2) ? "key-\(random.next() % 50)" : nil }
        let type = type(category, isFirst: head.version == 0)
        events.append(
            LoggedEvent(
                position, head.number, head.version + 1, time, stream: stream, type: type, key: lastKey,
                data: random.oneIn(60) ? random.pick("{}", "[]", "{", #"{"a":1,"a":2}"#, "7") : data(type, stream)))
    }

    private mutating func type(_ category: String, isFirst: Bool) -> String {
        if random.oneIn(40) { return random.pick("Unknown", "StoryPosted", "MessageSent", "UserSignedUp") }
        switch category {
        case "story":
            return isFirst
                ? "StoryPosted"
                : random.pick("StoryLiked", "StoryLiked", "StoryLiked", "StoryUnliked", "StoryRevised", "StoryDeleted")
        case "message": return isFirst ? "MessageSent" : random.pick("MessageSeen", "MessageSeen", "MessageDeleted")
        case "user": return isFirst ? "UserSignedUp" : "UserRevised"
        case "photo":
            return isFirst ? "PhotoAdded" : random.pick("PhotoExposureRevised", "PhotoExposureRevised", "PhotoDeleted")
        default: return random.pick("Noted", "StoryPosted")
        }
    }

    private mutating func data(_ type: String, _ stream: String) -> String {
        var members: [String] = []
        func add(_ name: String, _ value: String, _ random: inout SplitMix64, isOptional: Bool = false) {
            if isOptional, random.oneIn(2) { return }
            if random.oneIn(80) { return }
            let wrong = random.pick("null", "true", "7", "1.5", #""""#, "[]", "{}", #""no name!""#)
            members.append(#""\#(name)":\#(random.oneIn(80) ? wrong : value)"#)
        }
        switch type {
        case "StoryPosted":
            add("title", text(), &random)
            add("message", text(), &random)
            add("sender", user(), &random)
            add("recipient", user(), &random)
            add("date", date(), &random, isOptional: true)
        case "StoryRevised":
            add("title", text(), &random, isOptional: true)
            add("message", text(), &random, isOptional: true)
        case "StoryLiked", "StoryUnliked": add("user", user(), &random)
        case "MessageSent":
            add("text", text(), &random)
            add("sender", user(), &random)
            add("recipient", user(), &random)
            add("story", #""s\#(random.next() % 5)""#, &random, isOptional: true)
            add("date", date(), &random, isOptional: true)
        case "UserSignedUp", "UserRevised":
            let isOptional = type == "UserRevised"
            add("name", text(), &random, isOptional: isOptional)
            add("email", email(stream), &random, isOptional: isOptional)
            add("prefecture", prefecture(), &random, isOptional: isOptional)
        case "PhotoAdded":
            add("owner", user(), &random)
            add("iso", number(), &random)
            add("focalLength", number(), &random, isOptional: true)
            add("exposureValue", number(), &random)
            add("lensAperture", number(), &random, isOptional: true)
            add("exposureDuration", fraction(), &random)
            add("flash", random.pick(#""none""#, #""normal""#, #""redEye""#), &random, isOptional: true)
            add("date", date(), &random, isOptional: true)
        case "PhotoExposureRevised":
            add("exposureValue", number(), &random, isOptional: true)
            add("exposureDuration", fraction(), &random, isOptional: true)
        default: break
        }
        if random.oneIn(10) { members.append(#""other":{"deep":[1,2,{"x":null}]}"#) }
        if random.oneIn(4) { members.shuffle(using: &random) }
        return "{" + members.joined(separator: random.oneIn(5) ? " , " : ",") + "}"
    }

    private mutating func user() -> String { #""u\#(random.next() % 7)""# }

    private mutating func text() -> String {
        let words = ["Once", "upon", "née", "été", "日本", "\u{1F600}", #"\n"#, #"\""#, #"\u0000"#, #"\u00e9"#, "\\\\"]
        let count = Int(random.next() % 5) * (random.oneIn(20) ? 40 : 1)
        let text = (0..<count).map { _ in words[Int(random.next() % UInt64(words.count))] }
        return "\"" + text.joined(separator: " ") + "\""
    }

    private mutating func email(_ stream: String) -> String {
        let name = random.pick("Aki", "aki", "KEN", "ken", "É")
        return #""\#(name)@\#(hasDistinctEmails ? stream : random.pick("x.org", "X.org"))""#
    }

    private mutating func prefecture() -> String {
        random.oneIn(10) ? random.pick("-5", "0", "300", "9000000000000000000", "-70000") : "\(random.next() % 47 + 1)"
    }

    private mutating func date() -> String {
        random.pick(
            #""2026-01-02T03:04:05.678Z""#, #""2026-01-02T03:04:05+09:00""#, #""1969-12-31T23:59:59.999Z""#,
            #""0000-01-01T00:00:00Z""#, #""9999-12-31T23:59:59.999Z""#)
    }

    private mutating func number() -> String {
        random.pick("0", "-0", "-0.0", "1.25", "100", "-3.5", "1e300", "-20", "0.1", "3200")
    }

    private mutating func fraction() -> String {
        random.pick(#""1/125""#, #""2/250""#, #""4294967295/1""#, #""1/0""#, #""01/30""#, #""1/4294967296""#)
    }
}
