import Synchronization

/// Happenings that are traced at most once a second each, with the count of those that were passed over.
final class FrequentHappenings: Sendable {
    /// A happening that was passed over in a second, with the members of the last one.
    struct Counted {
        let happening: String
        var members: [(String, String)]
        var count: Int
    }

    /// Those of the present second, by name; the names are the program's own, and few.
    private let seen = Mutex<[String: Counted]>([:])

    /// True for the first one in a second; others are counted.
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

    /// Begins a new second; returns what was passed over in the last one. A happening that was goes on being counted.
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
