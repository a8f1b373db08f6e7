package import StoryCore
import StoryModels

/// What a use case may look at: the models, the log, and where it ends, all of one moment.
struct World {
    let store: any ModelStore
    let log: any EventLogReading
    let head: Position
    let limits: Limits
    let identity: LogIdentity

    /// What has become of an ID, and how far its stream is.
    func existence<P: Projection>(
        _ projection: P.Type, _ stream: StreamName
    ) -> (existence: Existence<P.Row>, head: StreamsModel.Head?) {
        guard let head = StreamsModel.head(of: stream, in: store) else { return (.none, nil) }
        guard let row = Rows.row(P.self, head.number, in: store) else { return (.gone, head) }
        return (.live(row), head)
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
        do throws(StorageError) { return try log.position(at: time) } catch { throw Failure.storage(error) }
    }
}

/// The directory of what there is now.
struct ModelDirectory: Directory {
    let store: any ModelStore

    // A user is never deleted: who has a stream is there.
    func hasUser(_ id: Identifier) -> Bool { StreamsModel.number(of: Kind.users.stream(id), in: store) != nil }

    func hasStory(_ id: Identifier) -> Bool {
        guard let number = StreamsModel.number(of: Kind.stories.stream(id), in: store) else { return false }
        return store.value(in: StoryProjection.rows, at: KeyWriter.number(number)) != nil
    }
}

extension Failure {
    /// What a request is answered with once the program was asked to end.
    package static let draining = Failure(.draining, "the server is ending; connect again in a moment")

    static func notFound(_ target: String) -> Failure { Failure(.notFound, "there is no \(target)") }

    static func gone(_ target: String) -> Failure { Failure(.gone, "\(target) was deleted; its history can be read") }

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
