import StoryWire

/// The search for the name that a user may have meant, by the store's rule.
enum NearestName {
    /// Returns the nearest name; nil when none is close.
    static func of(_ name: String, among names: [String]) -> String? {
        StoryWire.NearestName.find(Array(name.utf8), among: names)
    }
}
