import Synchronization

/// The rate limit of the trace: a happening is traced once a second at most, and repetitions are counted.
final class FrequentHappenings: Sendable {
    /// A happening, the number of its suppressed repetitions, and the members of the last one.
    struct Counted {
        let happening: String
        var members: [(String, String)]
        var count: Int
    }

    /// The happenings of the present second, by name; the names are the program's own, and few.
    private let seen = Mutex<[String: Counted]>([:])

    /// Returns true for the first happening of its name in a second, and counts the others.
    func isDue(_ happening: String, _ members: [(String, String)]) -> Bool {
        seen.withLock { seen in
            guard seen[happening] != nil else {
                seen[happening] = Counted(happening: happening, members: members, count: 0)
                return true
            }
            seen[happening]?.members = members
            seen[happening]?.count += 1
            return false
        }
    }

    /// Begins a new second and returns the suppressed happenings of the last one; those are still suppressed in the new
    /// one.
    func secondPassed() -> [Counted] {
        seen.withLock { seen in
            let passedOver = seen.values.filter { $0.count > 0 }
            seen = [:]
            for counted in passedOver {
                seen[counted.happening] = Counted(happening: counted.happening, members: counted.members, count: 0)
            }
            return passedOver.sorted { $0.happening < $1.happening }
        }
    }
}
