import Foundation
import StoryStore
import StoryCore
import StoryLog
import StoryFold
import StoryOffline
import StoryServer
import StoryStorage
import TestSupport

/// What an image shows that no store may show after a power failure.
struct Violated: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Opens the store of an image as the daemon does, and holds it against what was promised.
struct StoreCheck {
    static let journal = 65_536

    let reference: Reference
    private let trace = Trace(now: { Instant(milliseconds: 1) }) { _ in }

    init(_ reference: Reference) { self.reference = reference }

    /// What was found.
    struct Found {
        let head: UInt64
        /// Where the models' checkpoint was when they were opened.
        let folded: UInt64
    }

    /// Checks a store, writes three commits more, and has the power fail once more at the last of them.
    ///
    /// - Parameters:
    ///   - required: the position that its log reaches at least.
    ///   - second: where an image of that second failure goes; nil: there is none.
    func run(_ path: String, required: UInt64, second: String?, _ random: inout SplitMix64) throws -> Found {
        let found: Found
        do {
            // A start may find that its journal is to have another size.
            let store = try opened(path, journal: random.oneIn(4) ? 2 * StoreCheck.journal : StoreCheck.journal)
            defer { store.close() }
            found = Found(head: store.log.head.value, folded: store.models.checkpointed.value)
            try checkLog(store.log, required: required, through: reference.head, known: reference.head)
            guard !reference.isWithinWrite(found.head) else {
                throw Violated("it ends within a write, at \(found.head)")
            }
            try DeclaredLoad.check(store)
            try write(store, path, second, &random)
            try store.models.writeDown(at: store.log.head)
        } catch let error as StorageError {
            throw Violated("the store fails: \(error)")
        }
        try checkModels(path)
        if let second { try checkAgain(second, found.head) }
        return found
    }

    private func opened(_ path: String, journal: Int = StoreCheck.journal) throws -> OpenStore {
        do { return try OpenStore(path, journal: journal, clock: .system, trace: trace) } catch {
            throw Violated("it does not open: \(error)")
        }
    }

    /// - Parameter known: the last position that is compared.
    private func checkLog(_ log: LMDBEventLog, required: UInt64, through most: UInt64, known: UInt64) throws {
        let head = log.head.value
        guard head >= required else { throw Violated("it ends at \(head), and \(required) left the daemon") }
        guard head <= most else { throw Violated("it ends at \(head), and only \(most) events were ever written") }
        guard log.flushed <= log.head else { throw Violated("blocks go on past the head") }
        var wrong: UInt64?
        try log.scan(from: Position(1), through: log.head, order: .ascending) { record in
            let position = record.position.value
            guard position <= known else { return true }
            let isSame = reference.isSame(record)
            if !isSame { wrong = position }
            return isSame
        }
        if let wrong { throw Violated("position \(wrong) is another event than was written") }
        try log.verify { _ in }
    }

    // MARK: Three commits more

    private func write(_ store: OpenStore, _ path: String, _ second: String?, _ random: inout SplitMix64) throws {
        var writer = try NextEvents(store.log)
        for _ in 1...2 { try commit(store.log, &writer, &random) }
        try settle(store.log)
        let before = RawFile.read(path + "/log.journal")
        let flushed = store.log.flushed
        try commit(store.log, &writer, &random)
        try settle(store.log)
        if let second { try fail(path, before, second, isTorn: store.log.flushed == flushed, &random) }
        // The same from the last checkpoint on: an event is never folded twice.
        store.models.discard()
        try Recovery.fold(store.log, into: store.models, by: CataloguePlan(.standard), isStoring: false) { _, _ in }
        try store.log.flush()
    }

    private func commit(_ log: LMDBEventLog, _ writer: inout NextEvents, _ random: inout SplitMix64) throws {
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            try log.append(writer.next(size: Int.random(in: 1...1_500, using: &random)))
        }
        try log.commit()
    }

    /// Waits for a flush that a commit began.
    private func settle(_ log: LMDBEventLog) throws {
        while log.isFlushing {
            usleep(50)
            try log.pollFlush()
        }
    }

    /// Copies the directory as it is, with some sectors of the last commit as they were before it.
    private func fail(
        _ path: String, _ before: [UInt8], _ second: String, isTorn: Bool, _ random: inout SplitMix64
    ) throws {
        var image = try Image.read(path)
        var journal = image.file("log.journal") ?? []
        for start in stride(from: 0, to: isTorn ? journal.count : 0, by: Disk.sector) where Bool.random(using: &random)
        {
            journal.replaceSubrange(start..<start + Disk.sector, with: before[start..<start + Disk.sector])
        }
        image.replace("log.journal", journal)
        guard mkdir(second, 0o700) == 0 else { throw SystemRefused(call: "mkdir", code: errno) }
        try image.write(to: second)
    }

    private func checkAgain(_ path: String, _ head: UInt64) throws {
        do {
            let store = try opened(path)
            defer { store.close() }
            try checkLog(store.log, required: head + 2, through: head + 6, known: head)
        } catch {
            throw Violated("after three commits more and a second failure: \(error)")
        }
    }

    private func checkModels(_ path: String) throws {
        var options = Replay.Options()
        options.isVerifying = true
        do {
            let report = try Replay(DataDirectory(path, for: .reading), catalogue: .standard, clock: .system).run(
                options
            ) { _, _ in }
            guard report.position == report.head else { throw Violated("the models end at \(report.position.value)") }
            if let entry = report.models.first(where: { $0.stored != $0.digest }) {
                throw Violated("the model \(entry.model) is not the fold: \(entry.difference ?? "")")
            }
        } catch let error as StorageError {
            throw Violated("the replay fails: \(error)")
        } catch let error as ReplayError {
            throw Violated("the replay fails: \(error)")
        }
    }
}

/// Events that follow the end of a log, in a stream of their own.
private struct NextEvents {
    private var position: Position
    private var version = Version.zero
    private let stream: StreamNumber
    private let time: Instant

    init(_ log: LMDBEventLog) throws {
        position = log.head
        time = log.lastTime ?? Instant(milliseconds: 1)
        var most: UInt64 = 0
        try log.scan(from: Position(1), through: log.head, order: .ascending) { record in
            most = max(most, record.streamNumber.value)
            return true
        }
        stream = StreamNumber(most + 1)
    }

    mutating func next(size: Int) -> Event {
        position = position.next
        version = version.next
        let filler = String(repeating: "x", count: size)
        return Event(
            position: position, stream: "again-1".stream, streamNumber: stream, version: version, time: time, by: 0,
            key: nil, tags: nil, meta: nil, body: .noted("Again", #"{"filler":"\#(filler)"}"#))
    }
}
