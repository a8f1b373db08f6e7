/// The content that is the same in every language.
enum Content {
    static let streams = 1_000
    static let users = 1_000
    /// The characters of an event's text and of a story's.
    static let text = 150

    static func fill(_ line: inout RequestText, _ count: Int = text) { line.put(0x78, times: count) }

    /// `{"type":"Measured","data":{…}}`, of about 200 bytes.
    static func event(_ number: Int, _ line: inout RequestText, text: Int = text) {
        line.put("{\"type\":\"Measured\",\"data\":")
        data(number, &line, text: text)
        line.put("}")
    }

    /// The same with a `meta` in it, and with `tags`, which are written with their comma.
    static func identifiedEvent(
        _ number: Int, _ line: inout RequestText, text: Int = text, tags: (inout RequestText) -> Void = { _ in }
    ) {
        line.put("{\"type\":\"Measured\",")
        tags(&line)
        line.put("\"meta\":")
        meta(number, &line)
        line.put(",\"data\":")
        data(number, &line, text: text)
        line.put("}")
    }

    private static func data(_ number: Int, _ line: inout RequestText, text: Int) {
        line.put("{\"n\":")
        line.put(number)
        line.put(",\"text\":\"")
        fill(&line, text)
        line.put("\"}")
    }

    /// `{"id":"<uuid>"}`: the same ID for the same number, another one for each.
    static func meta(_ number: Int, _ line: inout RequestText) {
        line.put("{\"id\":\"")
        identifier(number, &line)
        line.put("\"}")
    }

    /// How many bytes `meta` writes.
    static let metaLength = 45

    private static func identifier(_ number: Int, _ line: inout RequestText) {
        let halves = (mixed(UInt64(number) &* 2), mixed(UInt64(number) &* 2 &+ 1))
        line.putHex(halves.0 >> 32, digits: 8)
        line.put("-")
        line.putHex(halves.0 >> 16, digits: 4)
        line.put("-")
        line.putHex(halves.0 & 0xFFF | 0x4000, digits: 4)
        line.put("-")
        line.putHex(halves.1 >> 48 & 0x3FFF | 0x8000, digits: 4)
        line.put("-")
        line.putHex(halves.1 >> 32, digits: 4)
        line.putHex(halves.1, digits: 8)
    }

    /// Titles in no order, so that their index is written all over.
    static func title(_ number: Int) -> Int { number &* 2_654_435_761 % 1_000_003 }
    static func sender(_ number: Int) -> Int { number % users }
    static func recipient(_ number: Int) -> Int { number &* 7 % users }

    /// A number below a bound at random: the same for the same request, whoever is asked.
    static func random(_ number: Int, below bound: Int) -> Int {
        Int(mixed(UInt64(number)).multipliedFullWidth(by: UInt64(max(bound, 1))).high)
    }

    /// The tag of an event, which each hundred of the events of a stream share.
    static func tag(of number: Int) -> Int { number % streams + number / (100 * streams) * streams }

    /// A stream at random, and the version that the reading of a page begins at.
    static func page(_ number: Int, of stored: Stored) -> (stream: Int, version: Int) {
        let last = max(1, stored.eventsEach - stored.page + 1)
        return (random(2 * number, below: streams), 1 + random(2 * number + 1, below: last))
    }

    /// SplitMix64: each number gives another, and its bits look like those of chance.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var bits = (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
