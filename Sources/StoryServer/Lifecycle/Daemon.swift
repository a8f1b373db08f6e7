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
        let composition = try Composition(configuration, clock: clock, trace: trace)
        do throws(ReactorError) {
            try composition.reactor.listen(
                at: configuration.socket, mode: configuration.access.socketMode, group: configuration.access.socketGroup
            )
        } catch {
            composition.abandon()
            throw StartError(message: "\(error)", exitCode: 2)
        }
        let milliseconds = (clock.steady() - began) / 1_000_000
        trace.say(
            "ready",
            [
                "socket": configuration.socket, "data": configuration.data,
                "position": "\(composition.store.log.head.value)", "ms": "\(milliseconds)",
            ])
        acceptSignals()
        composition.reactor.run(composition.server)
        return end(composition, trace)
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
            _exit(5)
        }
        composition.close()
        trace.say("stopped", ["position": "\(composition.store.log.head.value)"])
        return 0
    }
}
