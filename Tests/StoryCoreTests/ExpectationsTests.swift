import TestSupport
import Testing

/// The functions that tests check conditions with.
struct ExpectationsTests {
    private struct Refused: Error {}

    private static func refuse() throws -> Int? { throw Refused() }

    @Test func `what does not hold, or is not there, is an issue, also where the error is caught`() {
        withKnownIssue { expect(1 > 2, "one") }
        withKnownIssue { expect(try Self.refuse() == nil) }
        withKnownIssue { _ = try? require(nil as Int?) }
        withKnownIssue { try? require(1 > 2) }
    }

    @Test func `what holds is none, and what is there is returned`() throws {
        expect(1 < 2)
        try require(1 < 2)
        expect(try require(Int("7")) == 7)
    }
}
