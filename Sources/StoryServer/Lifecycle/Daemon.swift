import Glibc
import StoryCluster
import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStore
import StoryNetwork
import StoryReactor
package import StoryStorage
import StoryWire

/// The daemon's life cycle: open the store, listen, serve, store the models, close.
package enum Daemon {
    /// The descriptors that the store, its threads and connections about to be refused need beside the connections.
    private static let otherFiles = 64
    /// The descriptors of the stores of declared models, at most: of each model one that answers, and one that is built.
    private static let modelFiles = 2 * DeclaredModel.limit * 6

    /// Serves until a signal ends the daemon.
    ///
    /// - Parameter environment: returns the value of an environment variable; nil where it is not set.
    /// - Returns: the process's exit code.
    /// - Throws: why the daemon cannot start, or a replica cannot go on.
    package static func run(
        _ configuration: ServerConfiguration, clock: Clock, trace: Trace, environment: (String) -> String?
    ) throws(StartError) -> Int32 {
        let began = clock.steady()
        ignoreWriteSignals()
        // Other daemons reopen their log files on these signals. This one has none to reopen, and must not end on them.
        signal(SIGUSR1, SIG_IGN)
        signal(SIGUSR2, SIG_IGN)
        Allocator.returnLargeBlocks()
        var configuration = configuration
        limitConnections(&configuration, trace)
        try checkUser(&configuration)
        configuration.follow = configuration.follow.map { HostAndPort($0) == nil ? absolute($0) : $0 }
        if let cluster = configuration.cluster {
            let address = cluster.advertise ?? configuration.listen?.reachable ?? absolute(configuration.socket)
            configuration.cluster?.advertise = address
        }
        let manager = ServiceManager(environment)
        let certificates = try certificates(of: configuration, trace)
        let composition = try Composition(
            configuration, clock: clock, trace: trace, manager: manager, certificates: certificates)
        // The declared models were read, and the disk may have failed then.
        if let reason = composition.server.stopReason { throw StartError(reason) }
        let socket: String
        do throws(ReactorError) {
            socket = try listen(composition.reactor, configuration, environment, trace)
            try listenToOthers(composition.reactor, configuration, with: certificates, trace)
        } catch {
            composition.abandon()
            throw StartError(message: "\(error)", exitCode: 2)
        }
        warn(of: composition.store.directory, trace)
        SecretFiles(configuration).warn(trace)
        ClockWatch(clock, trace).started(after: composition.store.log.lastTime)
        let milliseconds = (clock.steady() - began) / 1_000_000
        trace.say(
            "ready",
            [
                "version": ProgramVersion.number, "socket": socket, "data": configuration.data,
                "position": "\(composition.store.log.head.value)", "pages": "\(composition.store.models.verifiedPages)",
                "ms": "\(milliseconds)",
            ])
        acceptSignals()
        manager.ready("serving \(socket)")
        composition.reactor.run(composition.server)
        defer { trace.flush() }
        return try end(composition, trace)
    }

    /// Makes the log of a cluster out of the data directory (`--create`).
    ///
    /// - Returns: a line for a person, without its line feed.
    /// - Throws: why it cannot be made; then exit code 2, or 3 where there is no room.
    package static func create(
        _ configuration: ServerConfiguration, clock: Clock, trace: Trace
    ) throws(StartError) -> String {
        ignoreWriteSignals()
        if let files = configuration.cluster?.files { try CertificateFiles.check(files) }
        do throws(StorageError) {
            return try OrderedLog.make(configuration, clock: clock, trace: trace)
        } catch {
            throw StartError(error)
        }
    }

    /// Makes a limit on the size of files, or a trace without a reader, an error: a start writes already, and neither
    /// may end the process.
    private static func ignoreWriteSignals() {
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Reads the files of certificates that the settings name; nil where they name none.
    ///
    /// - Throws: `StartError`, which names the setting at fault.
    package static func certificates(
        of configuration: ServerConfiguration, _ trace: Trace
    ) throws(StartError) -> CertificateFiles? {
        guard let files = configuration.certificates else { return nil }
        if configuration.cluster != nil { try CertificateFiles.check(files) }
        return try CertificateFiles(configuration.listen == nil ? .client : .server, files, trace)
    }

    /// Returns a path that clients in other directories understand as well.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    /// Reads the user namespace into the access rules.
    ///
    /// - Throws: `StartError` where rules let in others who could pass for the user who runs the daemon.
    private static func checkUser(_ configuration: inout ServerConfiguration) throws(StartError) {
        let namespace = UserNamespace.current()
        guard geteuid() == namespace.unknownUser else { return configuration.access.namespace = namespace }
        // Without rules, the socket's mode admits only its owner.
        guard !configuration.access.rules.isEmpty else { return }
        throw StartError(
            message:
                "uid \(geteuid()) stands for every user without a number in this user namespace, so others that allow "
                + "lets in could pass for the user who runs stored: run it as another user, or without allow",
            exitCode: 2)
    }

    /// Traces a warning where the data would not outlive the machine or the container, or where others could replace
    /// it.
    private static func warn(of directory: DataDirectory, _ trace: Trace) {
        if let folder = Folder.openParents(of: directory.path).first {
            trace.say("open-folder", ["folder": folder, "data": directory.path])
        }
        switch directory.fileSystem {
        case .disk: break
        case .memory: trace.say("in-memory", ["data": directory.path])
        case .overlay: trace.say("in-container", ["data": directory.path])
        }
    }

    /// Listens on the inherited socket, or at the configured path; returns the path that clients connect to.
    private static func listen(
        _ reactor: Reactor, _ configuration: ServerConfiguration, _ environment: (String) -> String?, _ trace: Trace
    ) throws(ReactorError) -> String {
        if let inherited = try InheritedSocket(environment) {
            try reactor.listen(on: inherited)
            return inherited.path
        }
        if let reason = try reactor.listen(at: configuration.socket, for: configuration.access.socketAccess) {
            trace.say("open-socket", ["socket": configuration.socket, "reason": reason])
        }
        return configuration.socket
    }

    /// Listens for clients of other machines, where the settings say so.
    private static func listenToOthers(
        _ reactor: Reactor, _ configuration: ServerConfiguration, with certificates: CertificateFiles?, _ trace: Trace
    ) throws(ReactorError) {
        guard let address = configuration.listen, let context = certificates?.present else { return }
        let bound = try reactor.listen(at: address, context)
        trace.say(
            "listening",
            ["address": bound.description, "certificate": context.shownName, "days": context.daysLeft])
    }

    /// Raises the limit of open files to fit the wanted connections, as far as the system permits; else lowers their
    /// number.
    private static func limitConnections(_ configuration: inout ServerConfiguration, _ trace: Trace) {
        let others = otherFiles + (configuration.listen == nil ? 0 : Reactor.mostHandshakes)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let needed = rlim_t(configuration.limits.connections + others)
        // A store with few models serves as many connections where the system permits no more.
        let wanted = needed + rlim_t(modelFiles)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        guard limit.rlim_cur < needed else { return }
        let fewer = max(1, Int(clamping: limit.rlim_cur) - others)
        configuration.limits.connections = fewer
        trace.say("fewer-connections", ["connections": "\(fewer)", "reason": "the limit of open files (ulimit -n)"])
    }

    /// Unblocks the signals that end the process: a blocked mask is inherited, and a parent may have blocked them.
    private static func acceptSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func end(_ composition: Composition, _ trace: Trace) throws(StartError) -> Int32 {
        if let reason = composition.server.stopReason {
            // The state of the disk is unknown, and the next start recovers from it. Background work still uses the
            // store, so nothing is closed here.
            trace.say("stopped", ["error": "\(reason)"])
            trace.flush()
            _exit(5)
        }
        composition.close()
        let end = composition.server.ending ?? .asked
        switch end {
        // A failed last flush loses nothing, since the journal holds the events; but the disk is suspect all the same.
        case .storageFailed(let reason): trace.say("stopped", ["error": "\(reason)"])
        case .cannotFollow(let fault): throw StartError(message: "\(fault)", exitCode: end.exitCode)
        case .isNoNode(let error): throw StartError(message: "\(error)", exitCode: end.exitCode)
        case .asked: trace.say("stopped", ["position": "\(composition.store.log.head.value)"])
        }
        return end.exitCode
    }
}
