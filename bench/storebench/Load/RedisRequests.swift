extension RedisDialect {
    func ask(_ work: Work, _ number: Int, _ line: inout RequestText) {
        switch work {
        case .ping: command(["PING"], &line)
        case .append: add(number, &line)
        case .append1KiB: add(number, &line, text: 924)
        case .append10KiB: add(number, &line, text: 10_140)
        case .post: post(number, &line)
        case .get: command(["GET", "story:s0-\(Content.random(number, below: stored.stories))"], &line)
        case .read:
            let (stream, version) = Content.page(number, of: stored)
            let from = "\(RedisDialect.moment((version - 1) * Content.streams + stream))-0"
            command(["XRANGE", "bench-\(stream)", from, "+", "COUNT", "\(stored.page)"], &line)
        case .live, .follow, .domain, .users, .appendKeyed, .appendTagged, .readTag, .appendBare, .appendTen,
            .appendPair, .appendUnless, .appendHalf, .unlessBoth, .unlessTyped, .readCategory, .message, .messageOfTwo,
            .getMessage, .edit, .like, .listStories, .listMessages, .countStories, .toggle, .question,
            .order, .placed, .tenLines, .write, .getLetter, .listLetters, .list20Stories:
            fail("Redis has no \(work.rawValue)")
        }
    }

    /// An event for one of the streams, under the ID that the server gives.
    private func add(_ number: Int, _ line: inout RequestText, text: Int = Content.text) {
        RedisDialect.array(7, &line)
        line.put("$4\r\nXADD\r\n")
        RedisDialect.stream(number % Content.streams, &line)
        line.put("$1\r\n*\r\n")
        fields(number, &line, text: text)
    }

    /// An event for one of the streams, under an ID that follows from its number, so that reading can begin at any.
    func keep(_ number: Int, _ line: inout RequestText) {
        RedisDialect.array(7, &line)
        line.put("$4\r\nXADD\r\n")
        RedisDialect.stream(number % Content.streams, &line)
        line.put("$15\r\n")
        line.put(RedisDialect.moment(number))
        line.put("-0\r\n")
        fields(number, &line)
    }

    /// The milliseconds of an event's ID: one event each.
    private static func moment(_ number: Int) -> Int { 1_700_000_000_000 + number }

    /// The event, and its `meta` as a field of its own.
    private func fields(_ number: Int, _ line: inout RequestText, text: Int = Content.text) {
        scratch.removeAll()
        Content.event(number, &scratch, text: text)
        line.put("$4\r\ndata\r\n")
        RedisDialect.bulk(scratch.bytes, &line)
        line.put("$4\r\nmeta\r\n$")
        line.put(Content.metaLength)
        line.put("\r\n")
        Content.meta(number, &line)
        line.put("\r\n")
    }

    /// An event for the log of all, under the ID that the server gives.
    func log(_ number: Int, _ line: inout RequestText) {
        RedisDialect.array(7, &line)
        line.put("$4\r\nXADD\r\n$3\r\nlog\r\n$1\r\n*\r\n")
        fields(number, &line)
    }

    /// The next page of the log after the last event that came.
    func page(_ line: inout RequestText) {
        tally.pointee.depth = 2
        let after = String(decoding: lastIdentifier, as: UTF8.self)
        command(["XRANGE", "log", "(" + after, "+", "COUNT", "1000"], &line)
    }

    /// The newest event of the log.
    func newest(_ line: inout RequestText) {
        tally.pointee.depth = 2
        command(["XREVRANGE", "log", "+", "-", "COUNT", "1"], &line)
    }

    /// What came to the log after the last event that came, waited for when there is nothing.
    func block(_ line: inout RequestText) {
        tally.pointee.depth = 4
        let after = String(decoding: lastIdentifier, as: UTF8.self)
        command(["XREAD", "BLOCK", "0", "COUNT", "1000", "STREAMS", "log", after], &line)
    }

    /// An event for workers, under its number.
    func input(_ number: Int, _ line: inout RequestText) {
        RedisDialect.array(7, &line)
        RedisDialect.texts(["XADD", "inputs", "\(number + 1)-0"], &line)
        fields(number, &line)
    }

    /// A group of consumers over all inputs.
    func makeGroup(_ group: String, _ line: inout RequestText) {
        command(["XGROUP", "CREATE", "inputs", group, "0"], &line)
    }

    /// The next inputs that no consumer of the group has.
    func nextInputs(_ count: Int, to consumer: Int, _ group: String, _ line: inout RequestText) {
        tally.pointee.depth = 4
        let words = ["GROUP", group, "worker-\(consumer)", "COUNT", "\(count)", "STREAMS", "inputs", ">"]
        command(["XREADGROUP"] + words, &line)
    }

    /// The number of the last input that came.
    var lastInput: Int { lastIdentifier.prefix { $0 != UInt8(ascii: "-") }.reduce(0) { $0 * 10 + Int($1 & 15) } }

    /// One output, and the end of its input, in one transaction.
    func work(on input: Int, by consumer: Int, _ group: String, _ line: inout RequestText) {
        command(["MULTI"], &line)
        command(["XADD", "done-\(consumer)", "*", "data", #"{"type":"Did","data":{"of":\#(input)}}"#], &line)
        command(["XACK", "inputs", group, "\(input)-0"], &line)
        command(["EXEC"], &line)
    }

    func store(_ number: Int, _ line: inout RequestText) {
        RedisDialect.array(3, &line)
        RedisDialect.texts(["SET", "story:s0-\(number)"], &line)
        row("s0-\(number)", number)
        RedisDialect.bulk(scratch.bytes, &line)
    }

    /// The work that `POST stories` does: stream, log, row, and an entry in each of the eight indexes.
    private func post(_ number: Int, _ line: inout RequestText) {
        let id = "s\(run)-\(number)"
        let title = "Title \(Content.title(number))"
        let (sender, recipient) = ("u\(Content.sender(number))", "u\(Content.recipient(number))")
        row(id, number)
        command(["MULTI"], &line)
        RedisDialect.array(5, &line)
        RedisDialect.texts(["XADD", "story-\(id)", "*", "e"], &line)
        RedisDialect.bulk(scratch.bytes, &line)
        RedisDialect.array(5, &line)
        RedisDialect.texts(["XADD", "log", "*", "e"], &line)
        RedisDialect.bulk(scratch.bytes, &line)
        RedisDialect.array(3, &line)
        RedisDialect.texts(["SET", "story:\(id)"], &line)
        RedisDialect.bulk(scratch.bytes, &line)
        let date = "\(1_700_000_000_000 + number)"
        command(["ZADD", "stories:date", date, id], &line)
        command(["ZADD", "stories:title", "0", title + ":" + id], &line)
        command(["ZADD", "stories:likes", "0", id], &line)
        command(["ZADD", "stories:sender", "0", sender + ":" + id], &line)
        command(["ZADD", "stories:recipient", "0", recipient + ":" + id], &line)
        command(["ZADD", "stories:sender:" + sender, date, id], &line)
        command(["ZADD", "stories:recipient:" + recipient, date, id], &line)
        command(["ZADD", "stories:between:" + sender + ":" + recipient, date, id], &line)
        command(["EXEC"], &line)
        answersEach = 13
    }

    /// Puts a story's row together.
    private func row(_ id: String, _ number: Int) {
        scratch.removeAll()
        scratch.put("{\"id\":\"")
        scratch.put(text: id)
        scratch.put("\",\"version\":1,\"position\":")
        scratch.put(number)
        scratch.put(",\"title\":\"Title ")
        scratch.put(Content.title(number))
        scratch.put("\",\"message\":\"")
        Content.fill(&scratch)
        scratch.put("\",\"sender\":\"u")
        scratch.put(Content.sender(number))
        scratch.put("\",\"recipient\":\"u")
        scratch.put(Content.recipient(number))
        scratch.put("\",\"date\":\"2026-11-20T12:34:56.789Z\",\"likes\":0}")
    }

    private func command(_ words: [String], _ line: inout RequestText) {
        RedisDialect.array(words.count, &line)
        RedisDialect.texts(words, &line)
    }

    private static func array(_ count: Int, _ line: inout RequestText) {
        line.put("*")
        line.put(count)
        line.put("\r\n")
    }

    /// The name of a stream.
    private static func stream(_ number: Int, _ line: inout RequestText) {
        line.put(number < 10 ? "$7" : number < 100 ? "$8" : "$9")
        line.put("\r\nbench-")
        line.put(number)
        line.put("\r\n")
    }

    private static func texts(_ words: [String], _ line: inout RequestText) {
        for word in words {
            line.put("$")
            line.put(word.utf8.count)
            line.put("\r\n")
            line.put(text: word)
            line.put("\r\n")
        }
    }

    private static func bulk(_ bytes: UnsafeRawBufferPointer, _ line: inout RequestText) {
        line.put("$")
        line.put(bytes.count)
        line.put("\r\n")
        line.put(bytes)
        line.put("\r\n")
    }
}
