import Synchronization

/// What is set on any thread, and taken back by the loop's.
package final class WakeFlag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isSet: Bool { value.load(ordering: .relaxed) }
    package func set() { value.store(true, ordering: .relaxed) }
    /// Takes it back; whether it was set.
    package func take() -> Bool { value.exchange(false, ordering: .relaxed) }
}
