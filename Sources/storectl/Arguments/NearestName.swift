import StoryWire

/// The name that takes the fewest typing mistakes to come from another; unlike the store, the tool always has one.
enum NearestName {
    static func of(_ name: String, among names: [String]) -> String? {
        // What is longer than any name is no typing mistake, and need not be compared letter by letter.
        let wanted = Array(name.utf8.prefix(64))
        return names.min { distance(wanted, $0) < distance(wanted, $1) }
    }

    private static func distance(_ wanted: [UInt8], _ name: String) -> Int {
        StoryWire.NearestName.distance(wanted, Array(name.utf8))
    }
}
