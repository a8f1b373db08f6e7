import StoryCore
import StoryStorage

/// The fetching of events that the ordering service no longer has, from another node.
final class Seeding {
    /// The link that was begun last.
    private struct Begun {
        let address: String
        /// The last event that was here.
        let head: Position
        /// When it was begun, in nanoseconds of the steady clock.
        let time: UInt64
    }

    private let ports: LinkPorts
    private let driver: CommitDriver
    private let seals: SealQueue
    private let effects: Effects
    private var begun: Begun?
    /// The link to the node that is asked; nil while none is.
    private(set) var link: Follower?
    /// The last event that was here when this node and one that was asked were found to differ last; nil before that.
    private var doubt: Position?
    /// True from a node that did not send all events, or none that has them, until one has.
    private(set) var hasFailed = false

    init(_ ports: LinkPorts, driver: CommitDriver, seals: SealQueue, effects: Effects) {
        (self.ports, self.driver, self.seals, self.effects) = (ports, driver, seals, effects)
    }

    /// Connects to a node at the next tick, and takes its events through a position.
    func begin(from address: String, through last: Position) {
        begun = Begun(address: address, head: driver.head, time: ports.clock.steady())
        ports.trace.say(
            "seeding", ["from": address, "position": "\(driver.head.value)", "through": "\(last.value)"])
        link = Follower(
            of: address, ports, driver: driver, seals: seals, effects: effects, doubt: doubt, through: last)
    }

    /// Notes that no node has the events through a position.
    func isMissing(through last: Position) {
        let reason = "no node has stored the events through \(last.value)"
        failed(["position": "\(driver.head.value)", "reason": reason])
    }

    private func failed(_ members: KeyValuePairs<String, String>) {
        hasFailed = true
        ports.trace.sayEachSecond("not-seeded", members)
    }

    /// Takes the end of the link.
    ///
    /// - Returns: the reason where both have other events at a position; nil where a node has sent the events, or some.
    func linkEnded(_ end: SeedEnd) -> String? {
        (doubt, link) = (link?.doubt, nil)
        guard let begun else { return nil }
        let position = "\(driver.head.value)"
        switch end {
        case .complete:
            let events = driver.head.value - begun.head.value
            let milliseconds = (ports.clock.steady() - begun.time) / 1_000_000
            ports.trace.say(
                "seeded",
                ["from": begun.address, "position": position, "events": "\(events)", "ms": "\(milliseconds)"])
            hasFailed = false
            return nil
        case .lost(let reason):
            failed(["from": begun.address, "position": position, "reason": reason])
            return nil
        case .diverged(let reason): return reason
        }
    }
}
