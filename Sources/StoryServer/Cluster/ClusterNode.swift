package import StoryCluster

/// A node of a log that several machines have: its settings, and the engine that orders the entries.
package struct ClusterNode {
    /// The engine.
    package let engine: any EngineCalls
    /// The settings.
    package let settings: ReplicaSettings

    /// Makes a node.
    package init(engine: any EngineCalls, settings: ReplicaSettings) {
        self.engine = engine
        self.settings = settings
    }
}
