package import StoryCluster
import StoryCore
import StoryReactor
import StoryStorage

/// A node of a log that several machines have: its settings, and the service that orders the entries.
package struct ClusterNode {
    /// The ordering service.
    package let ordering: any OrderingService
    /// The settings.
    package let settings: ReplicaSettings

    /// Makes a node.
    package init(ordering: any OrderingService, settings: ReplicaSettings) {
        self.ordering = ordering
        self.settings = settings
    }

    /// Makes the node that the settings of the daemon describe, over etcd.
    ///
    /// - Parameter file: the identity of the log's file, which no other directory has.
    init(
        _ cluster: ClusterSettings, _ configuration: ServerConfiguration, log file: FileIdentity, over reactor: Reactor,
        trace: Trace
    ) {
        // No two runs of a node have the same number.
        let run = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        var settings = ReplicaSettings(
            log: cluster.log, node: cluster.node, address: cluster.advertise ?? configuration.socket,
            version: ProgramVersion.number, run: run)
        settings.directory = "\(file.inode)-\(file.birthNanoseconds)"
        settings.endpoints = cluster.endpoints.count
        settings.lease = cluster.lease
        settings.patience = UInt64(clamping: configuration.patience) * 1_000_000_000
        settings.tail = cluster.tail
        self.init(ordering: EtcdService(cluster, over: reactor, trace), settings: settings)
    }
}
