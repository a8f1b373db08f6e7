/// The version of Storykeep, the same in the daemon, the tool and the greeting.
package enum ProgramVersion {
    /// The three numbers of a semantic version.
    package static let number = "0.1.0"
    /// The name and version of the daemon in its greeting.
    package static let daemon = "stored/\(number)"
}
