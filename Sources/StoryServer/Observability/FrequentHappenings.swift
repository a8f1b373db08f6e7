import Synchronization

/// The rate limit of the trace: a happening is traced once a second at most, and repetitions are counted.
final class FrequentHappenings: Sendable {
    /// The number of suppressed repetitions of a happening, and the members of the last one.
    typealias Counted = (count: Int, members: [(String, String)])

    /// The happenings of the present second, by name; the names are the program's own, and few.
    private let seen = Mutex<[String: Counted]>([:])

    /// Returns true for the first happening of its name in a second, and counts the others.
    func isDue(_ happening: String, _ members: [(String, String)]) -> Bool {
        seen.withLock { seen in
            let counted = seen[happening]
            seen[happening] = (counted.map { $0.count + 1 } ?? 0, members)
            return counted == nil
        }
    }

    /// Begins a new second and returns the suppressed happenings of the last one; those are still suppressed in the new
    /// one.
    func secondPassed() -> [(happening: String, counted: Counted)] {
        seen.withLock { seen in
            let passedOver = seen.filter { $0.value.count > 0 }
            seen = passedOver.mapValues { (0, $0.members) }
            return passedOver.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }
}
