import StoryCore

/// What the daemon counts about itself, for `STATS`.
///
/// A class, because the engine's middleware fills it and the server reads it.
package final class Figures {
    /// How long each verb's requests took to decide, read and fold.
    private(set) var verbs: [Verb: Histogram] = [:]
    /// How long the fold of an event of each kind took; nil: of the users' own events.
    private(set) var folds: [Kind?: Histogram] = [:]
    /// How long each turn's synced commit took.
    private(set) var commits = Histogram()
    private(set) var events: UInt64 = 0
    private(set) var errors: UInt64 = 0
    /// Events a second over the last whole second.
    private(set) var eventsPerSecond: UInt64 = 0
    private var secondBegan: UInt64 = 0
    private var eventsBefore: UInt64 = 0

    package init() {}

    func handled(_ verb: Verb, nanoseconds: UInt64) { verbs[verb, default: Histogram()].add(nanoseconds) }

    func folded(_ kind: Kind?, nanoseconds: UInt64) { folds[kind, default: Histogram()].add(nanoseconds) }

    func committed(events count: UInt64, nanoseconds: UInt64) {
        events += count
        commits.add(nanoseconds)
    }

    func failed() { errors += 1 }

    /// Called now and then with a steady clock.
    func tick(nanoseconds now: UInt64) {
        guard now >= secondBegan + 1_000_000_000 else { return }
        let seconds = max(1, (now - secondBegan) / 1_000_000_000)
        eventsPerSecond = (events - eventsBefore) / seconds
        eventsBefore = events
        secondBegan = now
    }
}
