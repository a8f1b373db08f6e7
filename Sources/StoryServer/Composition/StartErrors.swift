package import StoryCore

/// A failure to start, or the reason why a replica must end.
package struct StartError: Error, Equatable, Sendable {
    /// One sentence for a person.
    package let message: String
    /// The exit code of the process: 2, 3 or 5.
    package let exitCode: Int32
}

extension StartError {
    /// Makes the failure for a store that cannot be opened: 5 where it is damaged, 3 where the disk is full, else 2.
    package init(_ error: StorageError) {
        switch error {
        case .corrupt: self.init(message: "the store is damaged: \(error)", exitCode: 5)
        case .full(let reason): self.init(message: reason, exitCode: 3)
        case .failed(let reason), .held(let reason): self.init(message: reason, exitCode: 2)
        }
    }
}

/// A fault of the arguments or the configuration file.
package struct SettingsError: Error, Equatable, Sendable {
    /// One sentence that states the fault and the remedy.
    package let message: String
}
