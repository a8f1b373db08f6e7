import Testing

@testable import StoryCore

/// Whether a row that left a list was told of, by when that part of the list was shown.
struct ListStepsTests {
    /// A list that was shown to its end while events 11 to 30 had not been looked at, of which 20 were durable.
    private var steps: ListSteps {
        var steps = ListSteps()
        steps.add(through: nil, durable: Position(20), head: Position(30), lookedAt: Position(10))
        return steps
    }

    @Test func `what was changed and left after the step was told of with its change`() {
        #expect(steps.told(of: [1], since: Position(12), until: Position(15)) == .yes)
        #expect(steps.told(of: [1], since: Position(22), until: Position(25)) == .yes)
    }

    @Test func `what left after all that the step knew was shown`() {
        #expect(steps.told(of: [1], since: Position(5), until: Position(31)) == .yes)
    }

    @Test func `what was changed before and left while the step knew of it was shown if it was listed`() {
        let asked = ToldRow.ifListed(durable: Position(20), head: Position(30))
        #expect(steps.told(of: [1], since: Position(5), until: Position(15)) == asked)
        #expect(steps.told(of: [1], since: Position(10), until: Position(30)) == asked)
    }

    @Test func `steps that are alike are one, unless events were looked at between`() {
        var steps = ListSteps()
        steps.add(through: [1], durable: Position(20), head: Position(30), lookedAt: Position(10))
        steps.add(through: [2], durable: Position(20), head: Position(30), lookedAt: Position(12))
        #expect(steps.told(of: [1], since: Position(11), until: Position(15)) == .yes)
        #expect(steps.told(of: [2], since: Position(11), until: Position(15)) != .yes)
        #expect(steps.told(of: [2], since: Position(13), until: Position(15)) == .yes)
    }
}
