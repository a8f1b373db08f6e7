/// The search for the known name that is closest to a misspelt one.
package enum NearestName {
    /// Names with fewer letters are short.
    private static let shortCount = 6
    /// The longest name that is compared, in bytes.
    private static let maxCount = 64
    /// The number of wrong, missing, extra or swapped letters at which no name is near.
    private static let farDistance = 3

    /// Returns the first of the closest names, ignoring case: one letter may differ in a short name, two in a longer
    /// one. Nil where none is close.
    package static func find(_ name: some Collection<UInt8>, among choices: [String]) -> String? {
        guard name.count <= maxCount else { return nil }
        let wanted = name.map(lowerCased)
        var best: (distance: Int, name: String)?
        for choice in choices {
            let count = max(wanted.count, choice.utf8.count)
            guard abs(wanted.count - choice.utf8.count) < farDistance else { continue }
            let distance = distance(wanted, choice.utf8.map(lowerCased))
            let isClose = distance < (count < shortCount ? 2 : farDistance) && distance < count
            if isClose, distance < best?.distance ?? farDistance { best = (distance, choice) }
        }
        return best?.name
    }

    /// Returns the end of a sentence that names it: `; the nearest is total`; empty where none is close.
    package static func hint(_ name: String, among choices: [String]) -> String {
        find(name.utf8, among: choices).map { "; the nearest is \($0)" } ?? ""
    }

    /// Returns the number of insertions, deletions, substitutions and swaps of neighbours, at most `farDistance`. Only
    /// cells near the diagonal can be below it, so long names cost little.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let empty = Array(repeating: farDistance, count: right.count + 1)
        var beforeLast = empty
        var last = (0...right.count).map { min($0, farDistance) }
        for row in 0..<left.count {
            var current = empty
            current[0] = min(row + 1, farDistance)
            let end = min(row + farDistance, right.count)
            for column in min(max(row - farDistance, 0), end)..<end {
                let isSame = left[row] == right[column]
                var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current[column + 1] = min(cost, farDistance)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }

    private static func lowerCased(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
}
