import CHiredis

/// Redis's protocol, read by hiredis; what it says is in RedisRequests.swift. Its reader is given callbacks that make no objects: the cheapest client there is.
final class RedisDialect: Dialect {
    static let isGreeted = false
    let run: Int
    /// What there is to ask for.
    let stored: Stored
    private let reader: UnsafeMutablePointer<redisReader>
    let tally: UnsafeMutablePointer<Tally>
    /// Answers to one request: a transaction has one for each command in it.
    var answersEach = 1
    private var parts = 0
    /// An event that is put together: its length comes first.
    var scratch = RequestText()

    /// What the reader's callbacks saw.
    struct Tally {
        var failures = 0
        var events = 0
        /// How deep an event's ID stands: 2 in XRANGE's answer, 4 in XREAD's.
        var depth = 2
        var identifier = [UInt8]()
    }

    init(run: Int = 0, stored: Stored = Stored()) {
        self.run = run
        self.stored = stored
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
