import CHiredis

/// Redis's protocol, read by hiredis. Its reader is given callbacks that make no objects: the cheapest client there is.
final class RedisDialect: Dialect {
    static let isGreeted = false
    private let run: Int
    private let reader: UnsafeMutablePointer<redisReader>
    private let tally: UnsafeMutablePointer<Tally>
    /// Answers to one request: a transaction has one for each command in it.
    private var answersEach = 1
    private var parts = 0

    /// What the reader's callbacks saw.
    struct Tally {
        var failures = 0
        var events = 0
        /// How deep an event's ID stands: 2 in XRANGE's answer, 4 in XREAD's.
        var depth = 2
        var identifier = [UInt8]()
    }

    init(run: Int = 0) {
        self.run = run
        tally = .allocate(capacity: 1)
        tally.initialize(to: Tally())
        guard let made = redisReaderCreateWithFunctions(redisCallbacks) else { fail("hiredis makes no reader") }
        reader = made
        reader.pointee.privdata = UnsafeMutableRawPointer(tally)
        reader.pointee.maxbuf = 0
    }

    deinit {
        redisReaderFree(reader)
        tally.deinitialize(count: 1)
        tally.deallocate()
    }

    /// The ID of the last event that came.
    var lastIdentifier: [UInt8] { tally.pointee.identifier.isEmpty ? Array("0-0".utf8) : tally.pointee.identifier }

    /// Sets where `page` and `block` go on.
    func begin(after identifier: [UInt8]) { tally.pointee.identifier = identifier }

    func ask(_ work: Work, _ number: Int, _ line: inout [UInt8]) {
        switch work {
        case .ping: command(["PING"], &line)
        case .append:
            var event: [UInt8] = []
            Content.event(number, &event)
            RedisDialect.array(5, &line)
            RedisDialect.texts(["XADD", "bench-\(number % Content.streams)", "*", "e"], &line)
            RedisDialect.bulk(event, &line)
        case .live, .follow, .domain, .users: fail("Redis has no \(work.rawValue)")
        case .post: post(number, &line)
        case .get: command(["GET", "story:s0-\(Content.wantedStory(number))"], &line)
        case .read:
            command(["XRANGE", "bench-\(Content.wantedStream(number))", "-", "+", "COUNT", "100"], &line)
        }
    }

    /// An event for the log of all, under the ID that the server gives.
    func log(_ number: Int, _ line: inout [UInt8]) {
        var event: [UInt8] = []
        Content.event(number, &event)
        RedisDialect.array(5, &line)
        RedisDialect.texts(["XADD", "log", "*", "e"], &line)
        RedisDialect.bulk(event, &line)
    }

    /// The next page of the log after the last event that came.
    func page(_ line: inout [UInt8]) {
        tally.pointee.depth = 2
        let after = String(decoding: lastIdentifier, as: UTF8.self)
        command(["XRANGE", "log", "(" + after, "+", "COUNT", "1000"], &line)
    }

    /// The newest event of the log.
    func newest(_ line: inout [UInt8]) {
        tally.pointee.depth = 2
        command(["XREVRANGE", "log", "+", "-", "COUNT", "1"], &line)
    }

    /// What came to the log after the last event that came, waited for when there is nothing.
    func block(_ line: inout [UInt8]) {
        tally.pointee.depth = 4
        let after = String(decoding: lastIdentifier, as: UTF8.self)
        command(["XREAD", "BLOCK", "0", "COUNT", "1000", "STREAMS", "log", after], &line)
    }

    func store(_ number: Int, _ line: inout [UInt8]) {
        RedisDialect.array(3, &line)
        RedisDialect.texts(["SET", "story:s0-\(number)"], &line)
        RedisDialect.bulk(row("s0-\(number)", number), &line)
    }

    /// The work that `POST stories` does: stream, log, row, and an entry in each of the eight indexes.
    private func post(_ number: Int, _ line: inout [UInt8]) {
        let id = "s\(run)-\(number)"
        let title = "Title \(Content.title(number))"
        let (sender, recipient) = ("u\(Content.sender(number))", "u\(Content.recipient(number))")
        let row = row(id, number)
        command(["MULTI"], &line)
        RedisDialect.array(5, &line)
        RedisDialect.texts(["XADD", "story-\(id)", "*", "e"], &line)
        RedisDialect.bulk(row, &line)
        RedisDialect.array(5, &line)
        RedisDialect.texts(["XADD", "log", "*", "e"], &line)
        RedisDialect.bulk(row, &line)
        RedisDialect.array(3, &line)
        RedisDialect.texts(["SET", "story:\(id)"], &line)
        RedisDialect.bulk(row, &line)
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

    private func row(_ id: String, _ number: Int) -> [UInt8] {
        var row = Array("{\"id\":\"\(id)\",\"version\":1,\"position\":\(number),".utf8)
        row += "\"title\":\"Title \(Content.title(number))\",\"message\":\"".utf8
        row += Content.filler
        row += "\",\"sender\":\"u\(Content.sender(number))\",\"recipient\":\"u\(Content.recipient(number))\",".utf8
        row += "\"date\":\"2026-11-20T12:34:56.789Z\",\"likes\":0}".utf8
        return row
    }

    func hear(_ bytes: UnsafeRawBufferPointer, _ heard: inout Heard) {
        let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard redisReaderFeed(reader, text, bytes.count) == REDIS_OK else { fail("Redis sent what hiredis refuses") }
        while true {
            var reply: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &reply) == REDIS_OK else { fail("Redis sent what hiredis refuses") }
            guard reply != nil else { break }
            parts += 1
            if parts == answersEach {
                parts = 0
                heard.answers += 1
            }
        }
        heard.events += tally.pointee.events
        heard.failures += tally.pointee.failures
        tally.pointee.events = 0
        tally.pointee.failures = 0
    }

    private func command(_ words: [String], _ line: inout [UInt8]) {
        RedisDialect.array(words.count, &line)
        RedisDialect.texts(words, &line)
    }

    private static func array(_ count: Int, _ line: inout [UInt8]) { line += "*\(count)\r\n".utf8 }

    private static func texts(_ words: [String], _ line: inout [UInt8]) {
        for word in words {
            line += "$\(word.utf8.count)\r\n".utf8
            line += word.utf8
            line += "\r\n".utf8
        }
    }

    private static func bulk(_ bytes: [UInt8], _ line: inout [UInt8]) {
        line += "$\(bytes.count)\r\n".utf8
        line += bytes
        line += "\r\n".utf8
    }
}

/// What stands for any object.
nonisolated(unsafe) private let something = UnsafeMutableRawPointer(bitPattern: 1)

/// hiredis asks for these by pointer, for as long as a reader lives. Never written after it is made.
nonisolated(unsafe) private let redisCallbacks: UnsafeMutablePointer<redisReplyObjectFunctions> = {
    let callbacks = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
    callbacks.initialize(to: redisReplyObjectFunctions())
    callbacks.pointee.createString = { task, text, count in noteText(task, text, count) }
    callbacks.pointee.createArray = { _, _ in something }
    callbacks.pointee.createInteger = { _, _ in something }
    callbacks.pointee.createNil = { _ in something }
    callbacks.pointee.freeObject = { _ in }
    return callbacks
}()

private func noteText(
    _ task: UnsafePointer<redisReadTask>?, _ text: UnsafeMutablePointer<CChar>?, _ count: Int
) -> UnsafeMutableRawPointer? {
    guard let task, let tally = task.pointee.privdata?.assumingMemoryBound(to: RedisDialect.Tally.self) else {
        return something
    }
    if task.pointee.type == REDIS_REPLY_ERROR { tally.pointee.failures += 1 }
    guard task.pointee.idx == 0, let parent = task.pointee.parent, parent.pointee.elements == 2 else {
        return something
    }
    var depth = 1
    var above: UnsafeMutablePointer<redisReadTask>? = parent.pointee.parent
    while let step = above {
        depth += 1
        above = step.pointee.parent
    }
    guard depth == tally.pointee.depth else { return something }
    tally.pointee.events += 1
    tally.pointee.identifier.removeAll(keepingCapacity: true)
    if let text { tally.pointee.identifier += UnsafeRawBufferPointer(start: text, count: count) }
    return something
}
