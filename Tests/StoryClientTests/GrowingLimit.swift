import StoryClient
import TestSupport
import Testing

/// Tries something that must run out of time, and get somewhere before: the limit is twice as long each time, until this
/// machine was quick enough.
///
/// - Parameter attempt: returns false where the limit was too short to get there.
func underGrowingLimit(_ what: String, _ attempt: (Duration) async throws -> Bool) async throws {
    var limit = Duration.milliseconds(100)
    while try await !attempt(limit) {
        guard limit < TestTimeout.duration else { throw TookTooLong(what: what) }
        limit *= 2
    }
}

/// Expects what is refused, or lost, again and again to end with an error once the time is up.
func expectFailure<Reply: Sendable>(
    _ expected: ClientError, _ call: (Duration) async throws -> Reply
) async throws {
    try await underGrowingLimit("it is sent in time") { limit in
        do {
            _ = try await call(limit)
            Issue.record("it is answered")
        } catch let error as ClientError {
            if case .unreachable = error { return false }
            expect(error == expected)
        }
        return true
    }
}
