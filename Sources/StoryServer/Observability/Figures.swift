import StoryCore

/// What the daemon counts about itself, for `STATS`.
struct Figures {
    /// How long each verb's requests took to decide, read and fold.
    private(set) var verbs: [Verb: Histogram] = [:]
    /// How long each turn's synced commit took.
    private(set) var commits = Histogram()
    private(set) var events: UInt64 = 0
    private(set) var errors: UInt64 = 0
    /// Events a second over the last whole second.
    private(set) var eventsPerSecond: UInt64 = 0
    private var secondBegan: UInt64 = 0
    private var eventsBefore: UInt64 = 0

    mutating func handled(_ verb: Verb, nanoseconds: UInt64) { verbs[verb, default: Histogram()].add(nanoseconds) }

    mutating func committed(events count: UInt64, nanoseconds: UInt64) {
        events += count
        commits.add(nanoseconds)
    }

    mutating func failed() { errors += 1 }

    /// Called now and then with a steady clock.
    mutating func tick(nanoseconds now: UInt64) {
        guard now >= secondBegan + 1_000_000_000 else { return }
        let seconds = max(1, (now - secondBegan) / 1_000_000_000)
        eventsPerSecond = (events - eventsBefore) / seconds
        eventsBefore = events
        secondBegan = now
    }
}
