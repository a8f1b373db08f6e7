/// The search for the known name that is closest to a misspelt one.
package enum NearestName {
    /// Returns the greatest number of wrong, missing, extra or swapped letters: one in a short name, two in a longer
    /// one.
    private static func maxDistance(of count: Int) -> Int { count < shortCount ? 1 : 2 }
    /// Names with fewer letters are short.
    private static let shortCount = 6
    /// The longest name that is compared, in bytes: all known names are shorter.
    static let maxCount = 32

    /// Returns the first of the closest names, ignoring case; nil if none is close.
    package static func find(_ name: some Collection<UInt8>, among choices: [String]) -> String? {
        guard name.count <= maxCount else { return nil }
        let wanted = name.map(lowerCased)
        var best: (distance: Int, name: String)?
        for choice in choices {
            let distance = distance(wanted, choice.utf8.map(lowerCased))
            let count = max(wanted.count, choice.utf8.count)
            // A name with all letters wrong is not similar.
            let isClose = distance <= maxDistance(of: count) && distance < count
            if isClose, distance < best?.distance ?? Int.max { best = (distance, choice) }
        }
        return best?.name
    }

    /// Returns the number of insertions, deletions, substitutions and swaps of neighbours between two names.
    package static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }

    private static func lowerCased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
