import Glibc
import StoryCore
import StoryLog
import StoryModels
import StoryReactor
package import StoryStorage
import StoryWire

/// The daemon from start to end: resolve, listen, serve, write the models down, close.
package enum Daemon {
    /// Serves until a signal ends it; answers the process's exit code.
    package static func run(
        _ configuration: ServerConfiguration, clock: Clock, trace: Trace
    ) throws(StartError) -> Int32 {
        let began = clock.steady()
        // The start writes already: a limit on the size of files is to be an error there, too, and not the end.
        signal(SIGXFSZ, SIG_IGN)
        let dependency = try ServerDependency.resolve(configuration, clock: clock, trace: trace)
        let server = Server(dependency: dependency)
        do throws(ReactorError) {
            try dependency.reactor.listen(at: configuration.socket)
        } catch {
            close(dependency)
            throw StartError(message: "\(error)", exitCode: 2)
        }
        trace.say(
            "ready",
            [
                "socket": configuration.socket, "data": configuration.data,
                "position": "\(dependency.log.head.value)", "ms": "\((clock.steady() - began) / 1_000_000)",
            ])
        acceptSignals()
        dependency.reactor.run(server)
        return end(server, dependency, trace)
    }

    /// A parent may have blocked the very signals that are to end this process; a blocked mask is inherited.
    private static func acceptSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func end(_ server: Server, _ dependency: ServerDependency, _ trace: Trace) -> Int32 {
        server.endJobs()
        if server.fatal == nil { server.endCheckpoints() }
        if let fatal = server.fatal {
            // Nobody knows what the disk holds: the next start reads it anew.
            trace.say("stopped", ["error": "\(fatal)"])
            return 5
        }
        close(dependency)
        trace.say("stopped", ["position": "\(dependency.log.head.value)"])
        return 0
    }

    private static func close(_ dependency: ServerDependency) {
        dependency.store.close()
        dependency.log.close()
        dependency.directory.close()
    }
}
