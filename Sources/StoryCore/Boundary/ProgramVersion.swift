/// Which version of Storykeep this is: the daemon, the tool and the greeting say the same.
package enum ProgramVersion {
    /// Three numbers, as semantic versioning has them.
    package static let number = "0.1.0"
    /// What the daemon calls itself in its greeting.
    package static let daemon = "stored/\(number)"
}
