import StoryCore
import StoryFold

/// The preconditions that a write names, in the order in which docs/protocol.md (Writes) refuses: they are checked last, after
/// everything else that a write is refused for.
struct Preconditions {
    /// The result of the check.
    enum Verdict {
        case hold
        case refused(Failure)
        /// The look at the events is long: the write is handled again after it.
        case undecided(PreconditionLook)
    }

    /// A stream that is not at the version that the write names.
    private struct OtherVersion {
        let stream: StreamName
        let expected: Version
        let actual: Version
    }

    private let options: WriteOptions
    private let world: World
    private let identity: LogIdentity
    /// The look at the events that an earlier handling of the write began; nil where there is none.
    private let look: PreconditionLook?
    /// True where the request names several streams, so that a refusal names the stream.
    private let areStreamsNamed: Bool
    /// The failure of `cursor=`; nil where it holds.
    private let cursor: Failure?
    /// The first stream that is at another version.
    private var otherVersion: OtherVersion?

    /// Begins the list of the preconditions of a request.
    ///
    /// - Parameters:
    ///   - look: the look at the events that an earlier handling of the write began; nil where there is none.
    ///   - areStreamsNamed: true where the request names several streams.
    ///   - cursor: the failure of `cursor=`; nil where it holds.
    init(
        _ options: WriteOptions, in world: World, _ identity: LogIdentity, _ look: PreconditionLook?,
        areStreamsNamed: Bool = false, cursor: Failure? = nil
    ) {
        (self.options, self.world, self.identity, self.look) = (options, world, identity, look)
        (self.areStreamsNamed, self.cursor) = (areStreamsNamed, cursor)
    }

    /// Returns the failure of those whose position is after the log's end: they could not fail; nil where none is.
    func invalid() -> Failure? {
        guard let unless = options.unless else { return nil }
        let head = world.head
        let wrong = unless.list.indices.filter { unless.list[$0].after > head }
        guard !wrong.isEmpty else { return nil }
        let fields = wrong.map {
            let field = unless.path($0) + ".after"
            return FieldError(field: field, rule: .outOfRange, message: "the log ends at \(head.value)")
        }
        return .invalid(fields)
    }

    /// Adds that a stream is at a version.
    mutating func expect(_ expected: Version, of stream: StreamName, actual: Version) {
        guard expected != actual, otherVersion == nil else { return }
        otherVersion = OtherVersion(stream: stream, expected: expected, actual: actual)
    }

    /// Checks the preconditions of a write to one stream.
    ///
    /// - Parameter head: the head of the stream; nil where there is no stream.
    /// - Throws: the error of the read.
    func verdict(of stream: StreamName, _ head: StreamHead?) throws(StorageError) -> Verdict {
        guard let expected = options.version else { return try verdict() }
        var all = self
        all.expect(expected, of: stream, actual: head?.version ?? .zero)
        return try all.verdict()
    }

    /// Checks the preconditions: the history, the versions of streams, the events that must not have come, and the
    /// cursor.
    ///
    /// - Throws: the error of the read.
    func verdict() throws(StorageError) -> Verdict {
        if let log = options.log {
            let after = options.unless?.list.map(\.after).max() ?? .zero
            do throws(Failure) { try identity.check(log, next: after.next) } catch { return .refused(error) }
        }
        if let other = otherVersion { return .refused(failure(of: other)) }
        guard let unless = options.unless else { return last }
        if look == nil, world.holdsByRecency(unless.list) { return last }
        let look = look ?? PreconditionLook(unless.list, in: world)
        switch try look.verdict() {
        case .holds: return last
        case .undecided: return .undecided(look)
        case .broken(let index, let match): return .refused(failure(of: unless, index, match))
        }
    }

    /// The verdict on the last of them.
    private var last: Verdict { cursor.map { .refused($0) } ?? .hold }

    private func failure(of other: OtherVersion) -> Failure {
        Failure(other.stream, isAt: other.actual, not: other.expected, isNamed: areStreamsNamed)
    }

    private func failure(of unless: EventPreconditions, _ index: Int, _ match: EventMatch) -> Failure {
        let after = unless.list[index].after
        let found = "\(match.type) in \(match.stream) at \(match.position.value)"
        return Failure(
            .conflict, "an event of unless[\(index)] came after \(after.value): \(found)",
            .match(index, after: after, match))
    }
}

extension World {
    /// Returns true where preconditions hold by what memory has; false where the events have to be searched.
    fileprivate func holdsByRecency(_ preconditions: [EventPrecondition]) -> Bool {
        if recency == nil { recency = TagRecency(after: head) }
        guard let recency else { return false }
        return preconditions.allSatisfy { precondition in
            let (items, after) = (precondition.query.items, precondition.after)
            guard after < head else { return true }
            return !items.isEmpty && items.allSatisfy { $0.query.tags.contains { recency.last(of: $0) <= after } }
        }
    }
}

extension Failure {
    /// Creates the failure of a write to a stream that is at another version.
    ///
    /// - Parameter isNamed: true where the request names several streams, so that the failure says which one.
    init(_ stream: StreamName, isAt actual: Version, not expected: Version, isNamed: Bool = false) {
        let message = "\(stream) is at version \(actual.value), not \(expected.value)"
        self.init(.conflict, message, .versions(expected: expected, actual: actual, stream: isNamed ? stream : nil))
    }
}
