import StoryCore
import StoryEngine

/// What the daemon counts about itself, for `STATS`.
///
/// A class, because the engine's middleware fills it and the server reads it.
package final class Figures {
    /// How many requests of each verb were handled.
    @exclusivity(unchecked) private var counts = [UInt64](repeating: 0, count: Verb.allCases.count)
    /// How long those took that were timed: to decide, to read for and to fold.
    @exclusivity(unchecked) private var verbs = [Histogram](repeating: Histogram(), count: Verb.allCases.count)
    /// How long the fold of an event of each kind took; nil: of the users' own events.
    private var folds = [Histogram](repeating: Histogram(), count: Catalogue.standard.kinds.count + 1)
    /// How long each turn's synced commit took.
    private(set) var commits = Histogram()
    private(set) var events: UInt64 = 0
    private(set) var errors: UInt64 = 0
    /// Events a second over the last whole second.
    private(set) var eventsPerSecond: UInt64 = 0
    /// How many seconds it counts.
    private(set) var uptimeSeconds: UInt64 = 0
    private var began: UInt64?
    private var secondBegan: UInt64 = 0
    private var eventsBefore: UInt64 = 0

    package init() {}

    /// A request of a verb is handled; true when it is to be timed.
    ///
    /// The first of each sixteen: reading the clock twice would cost a tenth of it.
    func handled(_ verb: Verb) -> Bool {
        let count = counts[verb.number]
        counts[verb.number] = count + 1
        return count & 15 == 0
    }

    /// One request of a verb took so long.
    func took(_ verb: Verb, nanoseconds: UInt64) { verbs[verb.number].add(nanoseconds) }

    /// How many requests of a verb were handled.
    func count(of verb: Verb) -> UInt64 { counts[verb.number] }

    func folded(_ kind: Kind?, nanoseconds: UInt64) { folds[FoldTimer.slot(kind)].add(nanoseconds) }

    /// Nil when no request of the verb was timed.
    func durations(of verb: Verb) -> Histogram? {
        let histogram = verbs[verb.number]
        return histogram.count > 0 ? histogram : nil
    }

    /// Nil when no such event was folded.
    func foldDurations(of kind: Kind?) -> Histogram? {
        let histogram = folds[FoldTimer.slot(kind)]
        return histogram.count > 0 ? histogram : nil
    }

    func committed(events count: UInt64, nanoseconds: UInt64) {
        events += count
        commits.add(nanoseconds)
    }

    func failed() { errors += 1 }

    /// Called now and then with a steady clock.
    func tick(nanoseconds now: UInt64) {
        let start = began ?? now
        began = start
        uptimeSeconds = now > start ? (now - start) / 1_000_000_000 : 0
        guard now >= secondBegan + 1_000_000_000 else { return }
        let seconds = max(1, (now - secondBegan) / 1_000_000_000)
        eventsPerSecond = (events - eventsBefore) / seconds
        eventsBefore = events
        secondBegan = now
    }
}
