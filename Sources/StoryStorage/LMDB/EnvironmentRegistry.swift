import Synchronization

/// The registry of the environments that this process has open.
///
/// POSIX drops all of a process's locks on a file when any descriptor of that file is closed: opening an environment a
/// second time and closing it would let another process believe that this one has no readers.
enum EnvironmentRegistry {
    private static let opened = Mutex<Set<NamedFile>>([])

    /// Registers an environment; false when it is open already.
    static func enter(_ identity: NamedFile) -> Bool { opened.withLock { $0.insert(identity).inserted } }

    static func leave(_ identity: NamedFile) { opened.withLock { _ = $0.remove(identity) } }
}
