/// The name that takes the fewest typing mistakes to come from another.
enum NearestName {
    static func of(_ name: String, among names: [String]) -> String? {
        names.min { distance(name, $0) < distance(name, $1) }
    }

    /// How many letters must be put in, left out, changed or swapped with their neighbour.
    static func distance(_ left: String, _ right: String) -> Int {
        // What is longer than any name is no typing mistake, and need not be compared letter by letter.
        let left = Array(left.utf8.prefix(64))
        let right = Array(right.utf8)
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (byte == other ? 0 : 1))
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
