import StoryCore
import StoryEngine

/// The parts of the loop that a node changes.
extension ClusterDriver {
    /// Makes the driver of a node, whose writes wait until it leads; nil for a store of its own.
    static func node(
        _ dependency: ServerDependency, _ driver: CommitDriver, seals: SealQueue, requests: Requests
    ) -> ClusterDriver? {
        guard let node = dependency.node, let entries = driver.entries else { return nil }
        let cluster = ClusterDriver(node, dependency, driver: driver, entries: entries, seals: seals)
        requests.waits.takesWrites = false
        cluster.leadChanged = { [weak requests] takesWrites in
            requests?.waits.takesWrites = takesWrites
            if takesWrites { requests?.resume(requests?.waits.takeLed() ?? []) }
        }
        cluster.answeredPosition = { [weak requests] question, position in
            requests?.waits.answered(question, position)
            requests?.resume(requests?.waits.takeReached(driver.acknowledged) ?? [])
        }
        requests.waits.askSource = { [weak cluster] in cluster?.askForPosition() ?? 0 }
        dependency.engine.cluster = { [weak cluster] in cluster.map { .node($0.state) } }
        return cluster
    }
}
