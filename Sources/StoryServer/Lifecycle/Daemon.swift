import Glibc
import StoryCore
import StoryLog
import StoryModels
import StoryReactor
package import StoryStorage
import StoryWire

/// The daemon from start to end: resolve, listen, serve, write the models down, close.
package enum Daemon {
    /// Serves until a signal ends it.
    ///
    /// - Parameter environment: the value of a variable of the process's environment; nil where there is none.
    /// - Returns: the process's exit code.
    /// - Throws: why it cannot start.
    package static func run(
        _ configuration: ServerConfiguration, clock: Clock, trace: Trace, environment: (String) -> String?
    ) throws(StartError) -> Int32 {
        let began = clock.steady()
        // The start writes already: a limit on the size of files, or a trace without a reader, is to be an error there,
        // too, and not the end.
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        // Others have a log opened anew by these; here there is none, and they are no reason to end.
        signal(SIGUSR1, SIG_IGN)
        signal(SIGUSR2, SIG_IGN)
        Allocator.returnLargeBlocks()
        var configuration = configuration
        configuration.limits.connections = FileLimit.connections(atMost: configuration.limits.connections) { fewer in
            trace.say(
                "fewer-connections", ["connections": "\(fewer)", "reason": "the limit of open files (ulimit -n)"])
        }
        try checkUser(&configuration)
        let manager = ServiceManager(environment)
        let composition = try Composition(configuration, clock: clock, trace: trace, manager: manager)
        let socket: String
        do throws(ReactorError) {
            socket = try listen(composition.reactor, configuration, environment)
        } catch {
            composition.abandon()
            throw StartError(message: "\(error)", exitCode: 2)
        }
        warn(of: composition.store.directory, trace)
        ClockWatch(clock, trace).started(after: composition.store.log.lastTime)
        let milliseconds = (clock.steady() - began) / 1_000_000
        trace.say(
            "ready",
            [
                "version": ProgramVersion.number, "socket": socket, "data": configuration.data,
                "position": "\(composition.store.log.head.value)", "ms": "\(milliseconds)",
            ])
        acceptSignals()
        manager.ready("serving \(socket)")
        composition.reactor.run(composition.server)
        defer { trace.flush() }
        return end(composition, trace)
    }

    /// Finds out whom the kernel can tell apart.
    ///
    /// - Throws: where others are let in, and could pass for the user who runs the daemon.
    private static func checkUser(_ configuration: inout ServerConfiguration) throws(StartError) {
        let (rules, namespace) = (configuration.access.rules, UserNamespace.current())
        guard geteuid() == namespace.unknownUser else {
            configuration.access = Access(rules, in: namespace)
            return
        }
        // Without rules the socket's mode lets nobody in but its owner.
        guard !rules.isEmpty else { return }
        throw StartError(
            message:
                "uid \(geteuid()) stands for every user without a number in this user namespace, so others that allow "
                + "lets in could pass for the user who runs stored: run it as another user, or without allow",
            exitCode: 2)
    }

    /// Says where the data would not outlive the machine or the container, or others could put something else in its place.
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

    /// Listens at the path, or on the socket that the process was started with; returns where clients find it.
    private static func listen(
        _ reactor: Reactor, _ configuration: ServerConfiguration, _ environment: (String) -> String?
    ) throws(ReactorError) -> String {
        if let inherited = try InheritedSocket(environment) {
            try reactor.listen(on: inherited)
            return inherited.path
        }
        try reactor.listen(
            at: configuration.socket, mode: configuration.access.socketMode, group: configuration.access.socketGroup)
        return configuration.socket
    }

    /// A parent may have blocked the very signals that are to end this process; a blocked mask is inherited.
    private static func acceptSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGHUP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func end(_ composition: Composition, _ trace: Trace) -> Int32 {
        if let reason = composition.server.stopReason {
            // Nobody knows what the disk holds: the next start reads it anew. What is under way beside the loop still
            // uses the store, so nothing is closed here.
            trace.say("stopped", ["error": "\(reason)"])
            trace.flush()
            _exit(5)
        }
        composition.close()
        // What could not be taken over at the end lies in the journal, but the disk is suspect all the same.
        if let reason = composition.server.stopReason {
            trace.say("stopped", ["error": "\(reason)"])
            return 5
        }
        trace.say("stopped", ["position": "\(composition.store.log.head.value)"])
        return 0
    }
}
