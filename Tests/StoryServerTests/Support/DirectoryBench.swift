import Foundation
import Glibc
import StoryCore
import StoryLog
@testable import StoryServer
import StoryModels
import StoryStorage
import StoryWire
import TestSupport

/// A data directory of a test's own, opened and closed as often as the test likes.
final class DirectoryBench {
    let path: String
    private var directory: DataDirectory?

    init() throws {
        var template = Array("/tmp/server-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        path = String(cString: made) + "/data"
    }

    deinit { try? FileManager.default.removeItem(atPath: String(path.dropLast(5))) }

    /// Lends the log and the stored models, and closes them.
    func serve<Value>(_ body: (LMDBEventLog, LMDBModelStore) throws -> Value) throws -> Value {
        let directory = try DataDirectory(path, for: .serving)
        let log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 1))
        let store = try LMDBModelStore(in: directory, storeID: log.storeID, version: Model.version)
        defer {
            store.close()
            log.close()
            directory.close()
        }
        return try body(log, store)
    }

    /// Writes events into the log, in one commit.
    func write(_ events: [Event]) throws {
        try serve { log, _ in
            for event in events { try log.append(event) }
            try log.commit()
        }
    }

    /// Folds what is missing into the stored models and writes them down.
    func foldAll() throws {
        try serve { log, store in
            try Recovery.fold(log, into: store, with: EventDecoder()) { _, _ in }
            try store.writeDown(at: log.head)
        }
    }

    func replay(_ change: (inout Replay.Options) -> Void = { _ in }) throws -> ReplayReport {
        var options = Replay.Options()
        change(&options)
        let directory = try DataDirectory(path, for: .reading)
        return try Replay(directory, clock: .system).run(options) { _, _ in }
    }
}

extension LMDBModelStore {
    /// A checkpoint, here and now.
    func writeDown(at position: Position) throws {
        try freeze(at: position).run()
        try finish()
    }
}

/// A little of everything: users, stories, likes, messages, photos and events of the users' own.
enum Everything {
    static func events(_ count: Int, seed: UInt64 = 1) -> [Event] {
        var random = SplitMix64(seed: seed)
        var maker = EventMaker()
        var events = ["u1", "u2", "u3"].map { maker.event("user-\($0)", .signedUp(email: "\($0)@example.org")) }
        var stories: [String] = []
        while events.count < count {
            let number = events.count
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                stories.append("story-s\(number)")
                events.append(maker.event("story-s\(number)", .posted(title: "Title \(number)"), key: "k\(number)"))
            case 4 where !stories.isEmpty:
                events.append(maker.event(stories[number % stories.count], .liked(by: "u\(number % 3 + 1)")))
            case 5 where !stories.isEmpty:
                events.append(maker.event(stories.removeLast(), .story(.deleted)))
            case 6: events.append(maker.event("message-m\(number)", .sent()))
            case 7: events.append(maker.event("photo-p\(number)", .added(focalLength: random.oneIn(2) ? nil : 35)))
            default: events.append(maker.event("note-\(number % 5)", .noted()))
            }
        }
        return events
    }

    /// The same events, folded in memory.
    static func folded(_ events: [Event]) -> MemoryModelStore {
        let store = MemoryModelStore()
        let projector = Projector(store)
        for event in events { projector.fold(event) }
        return store
    }
}
