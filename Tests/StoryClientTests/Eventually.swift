import TestSupport

/// Waits for a condition, twenty seconds at most, without holding one of the tasks' threads.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(1))
    }
    throw TookTooLong(what: what)
}
