import Glibc
import StoryCore
import StoryEngine
import StoryLog
package import StoryReactor
package import StoryStorage

/// The composition root of the daemon: a server over a data directory and a socket.
package struct Composition {
    /// The open store.
    package let store: OpenStore
    /// The reactor that runs the loop.
    package let reactor: Reactor
    /// The handler of the reactor's events.
    package let server: Server
    private let commits: CommitThread

    /// Opens the data directory and builds the object graph; it does not listen yet.
    ///
    /// - Throws: why the daemon cannot start.
    package init(
        _ configuration: ServerConfiguration, clock: Clock, trace: Trace, manager: ServiceManager,
        certificates: CertificateFiles? = nil
    ) throws(StartError) {
        let wake: @Sendable () -> Void
        do throws(StorageError) {
            // Made first, since it leaves nothing on the disk when the rest fails.
            reactor = try Reactor.made()
            let waker = reactor.waker
            wake = { waker.wake() }
            store = try OpenStore(
                configuration.data, journal: configuration.journal, clock: clock, trace: trace,
                as: Composition.role(configuration, clock: clock, trace), whenFlushed: wake)
        } catch {
            throw StartError(error)
        }
        commits = CommitThread(clock: clock.steady, whenDone: wake)
        do throws(StorageError) {
            var configuration = configuration
            // `STATS` reports this path to clients, which may be in another directory: so it is absolute.
            configuration.data = try Folder.resolved(configuration.data) ?? configuration.data
            let file = try store.log.fileIdentity()
            let node = configuration.cluster.map { [reactor, configuration] in
                ClusterNode($0, configuration, log: file, over: reactor, trace: trace)
            }
            server = Server(
                dependency: try ServerDependency(
                    configuration, clock: clock, trace: trace, log: store.log, models: store.models,
                    modelFolders: store.modelFolders,
                    logWork: LogJobs(store.log, store.models), commits: commits,
                    node: node, transport: reactor, manager: manager, wake: wake,
                    returnFreedPages: Allocator.returnFreedPages,
                    renewCertificates: { [reactor] in certificates?.secondPassed(reactor) ?? CertificateState() },
                    holdRight: store.holdRight, uid: geteuid(),
                    durability: store.directory.fileSystem == .memory ? .memory : .fsync))
        } catch {
            commits.end()
            store.abandon()
            throw StartError(error)
        }
    }

    /// Ends the background work and closes the store; not after a storage failure that stopped the server.
    package func close() {
        server.end()
        commits.end()
        store.close()
    }

    /// Closes the store without having served it, and removes it where this start made it.
    package func abandon() {
        server.end()
        commits.end()
        store.abandon()
    }

    private static func role(_ configuration: ServerConfiguration, clock: Clock, _ trace: Trace) -> OpenStore.Role {
        let patience = configuration.patience
        if let cluster = configuration.cluster {
            return .node(log: cluster.log, node: cluster.node) { (head) throws(StorageError) in
                try OrderedLog(settings: cluster, patience: patience, clock: clock, trace: trace).history(for: head)
            }
        }
        guard let address = configuration.follow else { return .store }
        return .replica { () throws(StorageError) in
            try Joining.history(of: address, configuration.certificates, patience: patience, trace)
        }
    }
}

extension Reactor {
    /// Makes a reactor.
    ///
    /// - Throws: `.failed` where the system refuses.
    static func made() throws(StorageError) -> Reactor {
        do throws(ReactorError) { return try Reactor() } catch { throw .failed("\(error)") }
    }
}
