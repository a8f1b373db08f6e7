import LoopSupport
import StoryCore
import StoryServer
import StoryStorage
import TestSupport

/// A node of the simulation: a disk, a clock and a way to the ordering service, and the process that runs on them.
final class SimulatedNode {
    /// The number of the node, from 0.
    let number: Int
    let name: String
    let disk: SimulatedDisk
    let link: NodeLink
    let clock = DrivenClock()
    /// The shipped server; nil while it is down.
    var process: SimulatedProcess?
    /// Whether what was not durable is lost when the process dies.
    var isPowerFailure = false
    /// Whether its disk is empty once it is up again.
    var isWiped = false
    /// How many ticks it is down.
    var downFor = 0
    /// How many ticks its process does not run.
    var pausedFor = 0
    /// The ticks since it was asked to end; nil before.
    var ending: Int?
    /// Connections that do nothing.
    var crowd: Crowd?
    /// Up to here its log was held against that of all.
    var checked = 0

    init(_ number: Int, _ disk: SimulatedDisk, _ link: NodeLink) {
        (self.number, name, self.disk, self.link) = (number, link.name, disk, link)
    }

    /// The process, where something reaches it.
    var running: SimulatedProcess? { pausedFor > 0 || disk.isDead ? nil : process }
    var isUp: Bool { process != nil && !disk.isDead }
    /// The last event that it has for good.
    var acknowledged: Int { process.map { Int($0.loop.server.acknowledged.value) } ?? 0 }

    /// The last event that it has said it has stored.
    var stored: Int { link.reported }

    /// The process ends here, as if it was killed or the power failed.
    func died(_ process: SimulatedProcess) {
        process.loop.transport.isCut = true
        link.etcd?.end()
    }
}
