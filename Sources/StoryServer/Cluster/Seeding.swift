import StoryCore
import StoryStorage

/// The fetching of events that the engine of a log no longer has, from another node.
final class Seeding {
    private let dependency: ServerDependency
    private let driver: CommitDriver
    private let seals: SealQueue
    /// The link to the node that is asked; nil while none is.
    private(set) var link: Follower?
    /// The last event that was here when this node and one that was asked were found to differ last; nil before that.
    private var doubt: Position?
    /// True from a node that did not send all events, or none that has them, until one has.
    private(set) var hasFailed = false
    /// Called when a node has sent the events, or some of them.
    var ended: () -> Void = {}
    /// Called with the reason where both have other events at a position.
    var diverged: (String) -> Void = { _ in }

    init(_ dependency: ServerDependency, driver: CommitDriver, seals: SealQueue) {
        (self.dependency, self.driver, self.seals) = (dependency, driver, seals)
    }

    /// Connects to a node at the next tick, and takes its events through a position.
    func begin(from address: String, through last: Position) {
        let first = driver.head
        let began = dependency.clock.steady()
        dependency.trace.say(
            "seeding", ["from": address, "position": "\(first.value)", "through": "\(last.value)"])
        link = Follower(
            of: address, dependency, driver: driver, seals: seals, doubt: doubt,
            for: .seed(through: last) { [weak self] end in self?.end(end, from: address, first: first, began: began) })
    }

    /// Notes that no node has the events through a position.
    func isMissing(through last: Position) {
        let reason = "no node has stored the events through \(last.value)"
        failed(["position": "\(driver.head.value)", "reason": reason])
    }

    private func failed(_ members: KeyValuePairs<String, String>) {
        hasFailed = true
        dependency.trace.sayEachSecond("not-seeded", members)
    }

    private func end(_ end: Follower.SeedEnd, from address: String, first: Position, began: UInt64) {
        (doubt, link) = (link?.doubt, nil)
        let position = "\(driver.head.value)"
        switch end {
        case .complete:
            let events = driver.head.value - first.value
            let milliseconds = (dependency.clock.steady() - began) / 1_000_000
            dependency.trace.say(
                "seeded", ["from": address, "position": position, "events": "\(events)", "ms": "\(milliseconds)"])
            hasFailed = false
            ended()
        case .lost(let reason):
            failed(["from": address, "position": position, "reason": reason])
            ended()
        case .diverged(let reason): diverged(reason)
        }
    }
}
