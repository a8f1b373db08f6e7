package import StoryCore
import StoryModels

/// What use cases look things up in: the same for all requests, so that a world of one moment is cheap.
final class Ports {
    let models: ReadModels
    let log: any EventLogReading
    let limits: Limits
    let identity: LogIdentity
    // Those of the models: every write, and every row that is looked up, asks them and counts no references on the way.
    private let streams: StreamIndex
    let store: any TableStore

    init(models: ReadModels, log: any EventLogReading, limits: Limits, identity: LogIdentity) {
        self.models = models
        streams = models.streams
        store = models.store
        self.log = log
        self.limits = limits
        self.identity = identity
    }
}

/// What a use case may look at: the models, the log, and where it ends, all of one moment.
struct World {
    let ports: Ports
    let head: Position

    var models: ReadModels { ports.models }
    var log: any EventLogReading { ports.log }
    var limits: Limits { ports.limits }
    var identity: LogIdentity { ports.identity }
}

extension Ports {
    /// How far a stream is, for an event that goes behind its last one.
    ///
    /// What stored models say of it would stand in the log for ever, so it is held against the log first.
    /// - Throws: `.corrupt` where the log says otherwise; what reading failed with.
    func headToExtend(_ stream: StreamName) throws(StorageError) -> StreamHead? {
        guard let head = try streams.head(of: stream) else { return nil }
        guard head.position <= store.checkpointed else { return head }
        var isWritten = false
        do throws(StorageError) {
            try log.records(at: [head.position]) { record in
                isWritten =
                    record.version == head.version && record.streamNumber == head.number
                    && stream.spelling.withUnsafeBytes { record.streamName.equals($0) }
                return false
            }
        } catch {
            // Where that event is damaged itself, the models are all that is left of it, and were proven at the start.
            guard case .corrupt = error else { throw error }
            isWritten = true
        }
        guard isWritten else {
            throw .corrupt(
                "the read models say of \(stream) what the log does not: stop the daemon and move the folder models away",
                at: head.position)
        }
        return head
    }
}

extension World {
    /// The position of the first event at a time or after it; right after the log's end where there is none.
    /// - Throws: why the log cannot be read.
    func firstPosition(notBefore time: Instant) throws(Failure) -> Position {
        guard time.milliseconds > Instant.range.lowerBound else { return Position(1) }
        return try lastPosition(notAfter: Instant(milliseconds: time.milliseconds - 1)).next
    }

    /// The position of the last event at a time or before it; zero where there is none.
    /// - Throws: why the log cannot be read.
    func lastPosition(notAfter time: Instant) throws(Failure) -> Position {
        try Failure.reading { () throws(StorageError) in try log.position(at: time) }
    }
}

/// The directory of what there is now.
final class ModelDirectory: Directory {
    private let models: ReadModels
    /// Why what it said is not to be trusted; nil when all could be read.
    private(set) var failure: StorageError?

    init(_ models: ReadModels) { self.models = models }

    func has(_ kind: Kind, _ id: Identifier) -> Bool {
        do throws(StorageError) {
            return try models.has(kind, id)
        } catch {
            failure = failure ?? error
            return false
        }
    }
}

extension Failure {
    /// What a reading gives.
    ///
    /// - Throws: what a client gets when it failed.
    static func reading<Result>(_ body: () throws(StorageError) -> Result) throws(Failure) -> Result {
        do throws(StorageError) { return try body() } catch { throw Failure.storage(error) }
    }

    /// What a request is answered with once the program was asked to end.
    package static let draining = Failure(.draining, "the server is ending; connect again in a moment")

    static func invalid(_ field: String, _ rule: FieldRule, _ message: String) -> Failure {
        Failure(
            .invalid, "1 field is wrong: \(field)", .fields([FieldError(field: field, rule: rule, message: message)]))
    }

    /// - Parameter isNamed: true where the request names several streams.
    static func conflict(
        _ stream: StreamName, expected: Version, actual: Version, isNamed: Bool = false
    ) -> Failure {
        Failure(
            .conflict, "\(stream) is at version \(actual.value), not \(expected.value)",
            .versions(expected: expected, actual: actual, stream: isNamed ? stream : nil))
    }
}
