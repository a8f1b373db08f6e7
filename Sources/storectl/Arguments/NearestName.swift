import StoryWire

/// The name that somebody may have meant, by the rule that the store has; nil when none is close.
enum NearestName {
    static func of(_ name: String, among names: [String]) -> String? {
        StoryWire.NearestName.find(Array(name.utf8), among: names)
    }
}
