package import StoryCore
import StoryModels

/// The interfaces that use cases read through: the same for all requests, so that a `World` is cheap to make.
final class Ports {
    let models: ReadModels
    let log: any EventLogReading
    let limits: Limits
    let identity: LogIdentity
    // Held directly to avoid a retain and release on each write and row look-up.
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

/// The models and the log as a use case sees them, with the log's end at one moment.
struct World {
    let ports: Ports
    let head: Position

    var models: ReadModels { ports.models }
    var log: any EventLogReading { ports.log }
    var limits: Limits { ports.limits }
    var identity: LogIdentity { ports.identity }
}

extension Ports {
    /// Returns the head of a stream, to append behind it.
    ///
    /// A wrong head from the stored models would stay in the log for ever, so it is checked against the log first.
    ///
    /// - Throws: `.corrupt` if the log disagrees; otherwise the error of the read.
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
            // If the event itself is damaged, only the models have the head, and they were verified at the start.
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
    /// Returns the position of the first event at a time or after it; one past the log's end if there is none.
    ///
    /// - Throws: the error of reading the log.
    func firstPosition(notBefore time: Instant) throws(Failure) -> Position {
        guard time.milliseconds > Instant.range.lowerBound else { return Position(1) }
        return try lastPosition(notAfter: Instant(milliseconds: time.milliseconds - 1)).next
    }

    /// Returns the position of the last event at a time or before it; zero if there is none.
    ///
    /// - Throws: the error of reading the log.
    func lastPosition(notAfter time: Instant) throws(Failure) -> Position {
        try Failure.reading { () throws(StorageError) in try log.position(at: time) }
    }
}

/// The directory of the rows in the models.
final class ModelDirectory: Directory {
    private let models: ReadModels
    /// The first read error, after which the results are not to be trusted; nil if all reads succeeded.
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
    /// Returns the result of a read.
    ///
    /// - Throws: the failure for the client if the read failed.
    static func reading<Result>(_ body: () throws(StorageError) -> Result) throws(Failure) -> Result {
        do throws(StorageError) { return try body() } catch { throw Failure.storage(error) }
    }

    /// The refusal of every request once the program was asked to end.
    package static let draining = Failure(.draining, "the server is ending; connect again in a moment")

    static func invalid(_ field: String, _ rule: FieldRule, _ message: String) -> Failure {
        Failure(
            .invalid, "1 field is wrong: \(field)", .fields([FieldError(field: field, rule: rule, message: message)]))
    }

    /// Returns the failure of a write that expects another version of its stream.
    ///
    /// - Parameter isNamed: true if the request names several streams.
    static func conflict(
        _ stream: StreamName, expected: Version, actual: Version, isNamed: Bool = false
    ) -> Failure {
        Failure(
            .conflict, "\(stream) is at version \(actual.value), not \(expected.value)",
            .versions(expected: expected, actual: actual, stream: isNamed ? stream : nil))
    }
}
