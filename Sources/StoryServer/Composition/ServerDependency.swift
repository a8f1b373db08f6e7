import Glibc
package import StoryCore
package import StoryEngine
package import StoryLog
package import StoryModels
package import StoryReactor
package import StoryStorage
package import StoryWire

/// Everything that is fixed when the daemon starts. The one place where its parts are put together.
package struct ServerDependency {
    package let configuration: ServerConfiguration
    package let clock: Clock
    package let trace: Trace
    package let directory: DataDirectory
    package let log: LMDBEventLog
    package let store: LMDBModelStore
    package let decoder: EventDecoder
    package let reader: RequestReader
    /// For the short way of an append; everything else goes through `update`.
    package let engine: Engine
    /// The engine behind its middleware.
    package let update: Update
    package let figures: Figures
    package let reactor: Reactor
    /// Who runs the daemon, and so may do everything.
    package let uid: UInt32

    /// Opens the data directory, brings the models up to the log and builds the graph; nothing listens yet.
    package static func resolve(
        _ configuration: ServerConfiguration, clock: Clock, trace: Trace
    ) throws(StartError) -> ServerDependency {
        do throws(StorageError) {
            let directory = try DataDirectory(configuration.data, for: .serving)
            var configuration = configuration
            // Others are told where it is, whatever directory they are in.
            configuration.data = absolute(configuration.data)
            let log = try LMDBEventLog(in: directory, now: clock.now()) { position, head in
                trace.say("converting", ["position": "\(position.value)", "of": "\(head.value)"])
            }
            let store = try LMDBModelStore(in: directory, storeID: log.storeID, version: Model.version)
            if let renewal = store.renewal { trace.say("folding-anew", ["reason": renewal]) }
            let decoder = EventDecoder()
            try recover(log, store, decoder, clock, trace)
            let reader = LogReader(log: log, decoder: decoder)
            let figures = Figures()
            let timer = FoldTimer(clock: clock.steady) { figures.folded($0, nanoseconds: $1) }
            let engine = Engine(
                store: store, log: reader, identity: LogIdentity(id: LogID(binary: log.storeID)),
                limits: configuration.limits, server: ProgramVersion.daemon, foldTimer: timer)
            let traced = Tracing.middleware { trace.say("defect", ["verb": $0.rawValue, "message": $1.message]) }
            let timed = Timing.middleware(clock: clock.steady) { figures.handled($0, nanoseconds: $1) }
            let update = timed(traced(engine.update))
            return ServerDependency(
                configuration: configuration, clock: clock, trace: trace, directory: directory, log: log,
                store: store, decoder: decoder, reader: RequestReader(lineLimit: configuration.limits.line),
                engine: engine, update: update, figures: figures,
                reactor: try makeReactor(),
                uid: geteuid())
        } catch {
            throw StartError(error)
        }
    }

    private static func absolute(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func makeReactor() throws(StorageError) -> Reactor {
        do throws(ReactorError) { return try Reactor() } catch { throw StorageError.failed("\(error)") }
    }

    private static func recover(
        _ log: any EventLog, _ store: LMDBModelStore, _ decoder: EventDecoder, _ clock: Clock, _ trace: Trace
    ) throws(StorageError) {
        let missing = log.head.value - min(store.checkpointed.value, log.head.value)
        let began = clock.steady()
        var said = began
        try Recovery.fold(log, into: store, with: decoder) { position, head in
            guard clock.steady() - said > 1_000_000_000 else { return }
            said = clock.steady()
            trace.say("folding", ["position": "\(position.value)", "of": "\(head.value)"])
        }
        guard missing > 0 else { return }
        let milliseconds = (clock.steady() - began) / 1_000_000
        trace.say("recovered", ["events": "\(missing)", "ms": "\(milliseconds)"])
    }
}

/// Why the daemon cannot start: one sentence for a person, and the exit code of SPEC §4.
package struct StartError: Error, Equatable, Sendable {
    package let message: String
    package let exitCode: Int32

    package init(message: String, exitCode: Int32) {
        self.message = message
        self.exitCode = exitCode
    }

    package init(_ error: StorageError) {
        switch error {
        case .corrupt(let reason, let position):
            let place = position.map { " (at position \($0.value))" } ?? ""
            self.init(message: "the store is damaged: \(reason)\(place)", exitCode: 5)
        case .full(let reason): self.init(message: reason, exitCode: 3)
        case .failed(let reason), .held(let reason): self.init(message: reason, exitCode: 2)
        }
    }
}
