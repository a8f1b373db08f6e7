import StoryCore
import StoryEngine
import StoryLog

/// A family of metrics: its metadata, and the source of its values.
struct Figure: Sendable {
    /// The type of a family, as in OpenMetrics.
    enum Kind: String, Sendable {
        case gauge, counter, histogram, info
    }

    /// The unit that the name ends with.
    enum Unit: String, Sendable {
        case seconds, bytes
    }

    /// The values of a family at one moment.
    enum Values {
        case one(UInt64)
        /// A value that may not be known: then there is no sample.
        case known(Double?)
        case decimal(Double)
        /// A value for each value of the label.
        case labelled([(label: String, value: UInt64)])
        case durations(Histogram)
        /// A histogram for each value of the label, with the given number of power-of-four buckets.
        case labelledDurations([(label: String, durations: Histogram)], powers: Int)
        /// Constant labels of an info metric.
        case facts([(label: String, value: String)])
    }

    /// The name without `_total` and `_info`, the suffixes of the samples of counters and infos.
    let name: String
    let kind: Kind
    var unit: Unit?
    /// The names of the labels.
    var labels: [String] = []
    /// The help text: one sentence.
    let help: String
    let values: @Sendable (FigureSource) -> Values

    /// The name of the samples, as in Prometheus queries.
    var sampleName: String {
        switch kind {
        case .gauge, .histogram: name
        case .counter: name + "_total"
        case .info: name + "_info"
        }
    }
}

/// The families of metrics in `METRICS`, in their order. Label values come from the program's own lists, never from
/// data, and all of them are present from the start; but for the names of declared models, of which there are few.
enum FigureTable {
    /// The maximum number of time series.
    static let mostSeries = 760
    /// The number of power-of-four buckets for requests by verb: up to 0.066 s, since one step takes no longer.
    private static let requestPowers = 9

    static let all: [Figure] = store + ordering + requests + connections + workers + find + disk + process

    private static let store = [
        Figure(name: "storykeep_build", kind: .info, labels: ["version", "log"], help: "The program and its history.") {
            .facts([("version", ProgramVersion.number), ("log", $0.log.identity.id.description)])
        },
        Figure(name: "storykeep_log_position", kind: .gauge, help: "The last durable event.") {
            .one($0.position.value)
        },
        Figure(
            name: "storykeep_replica_lag_events", kind: .gauge,
            help: "Events that a replica or a node has not got; none while that is not known, 0 for a store of its own."
        ) { .known($0.clusterLag) },
        Figure(
            name: "storykeep_replica_silence_seconds", kind: .gauge, unit: .seconds,
            help: "Seconds since a replica's source, or a node's etcd, sent anything; none for a store of its own."
        ) { .known($0.cluster?.link.silenceSeconds) },
        Figure(name: "storykeep_checkpoint_position", kind: .gauge, help: "The last event in the stored models.") {
            .one($0.checkpoints.checkpointed.value)
        },
        Figure(name: "storykeep_appended_events", kind: .counter, help: "Events that became durable.") {
            .one($0.figures.events)
        },
        Figure(
            name: "storykeep_commit_duration_seconds", kind: .histogram, unit: .seconds,
            help: "Synced commits, each with the events of one turn."
        ) { .durations($0.figures.commits) },
        Figure(name: "storykeep_rows", kind: .gauge, labels: ["kind"], help: "Rows of each kind.") {
            .labelled($0.rows.map { ($0.name, $0.count) })
        },
        Figure(
            name: "storykeep_model_misfits", kind: .gauge, labels: ["model"],
            help: "Events that did not fit the declared model."
        ) { .labelled($0.misfits.map { ($0.name, $0.count) }) },
    ]

    private static let ordering = [
        Figure(
            name: "storykeep_engine_calls", kind: .counter, labels: ["outcome"],
            help: "Calls of a node to etcd; fenced: refused, since another node leads."
        ) { source in
            .labelled(OrderingFigures.Outcome.allCases.map { ($0.rawValue, source.figures.ordering.ended[$0] ?? 0) })
        },
        Figure(
            name: "storykeep_engine_retries", kind: .counter,
            help: "Calls of a node to etcd that were made again."
        ) { .one($0.figures.ordering.retried) },
        Figure(
            name: "storykeep_engine_call_duration_seconds", kind: .histogram, unit: .seconds,
            help: "Calls of a node to etcd that were answered."
        ) { .durations($0.figures.ordering.durations) },
    ]

    private static let requests = [
        Figure(name: "storykeep_requests", kind: .counter, labels: ["verb"], help: "Requests that were handled.") {
            source in .labelled(Verb.allCases.map { ($0.name, source.figures.count(of: $0)) })
        },
        Figure(
            name: "storykeep_errors", kind: .counter, labels: ["code"], help: "Requests and clients that were refused."
        ) { source in .labelled(ErrorCode.allCases.map { ($0.rawValue, source.figures.errors(of: $0)) }) },
        Figure(
            name: "storykeep_slow_requests", kind: .counter,
            help: "Requests that took longer than the setting slow, from the line to the reply."
        ) { .one($0.figures.slowRequests) },
        Figure(
            name: "storykeep_request_duration_seconds", kind: .histogram, unit: .seconds, labels: ["verb"],
            help: "Deciding, reading and folding, without the commit, of the first of each sixteen requests."
        ) { source in
            // Each verb has many series, and a store uses few of them.
            let used = Verb.allCases.filter { source.figures.count(of: $0) > 0 }
            return .labelledDurations(
                used.map { ($0.name, source.figures.durations(of: $0)) }, powers: requestPowers)
        },
        Figure(
            name: "storykeep_turn_duration_seconds", kind: .histogram, unit: .seconds,
            help: "Turns of the loop, from the first input to the last reply."
        ) { .durations($0.figures.turns) },
    ]

    private static let connections = [
        Figure(name: "storykeep_connections", kind: .gauge, labels: ["role"], help: "Clients that are connected.") {
            source in .labelled(Role.all.map { ($0.name, source.sums.count(of: $0)) })
        },
        Figure(name: "storykeep_connections_accepted", kind: .counter, help: "Clients that were accepted.") {
            .one($0.figures.accepted)
        },
        Figure(
            name: "storykeep_connections_refused", kind: .counter, labels: ["reason"],
            help: "Clients that were refused."
        ) { source in .labelled(ConnectionRefusal.allCases.map { ($0.rawValue, source.figures.refusals[$0] ?? 0) }) },
        Figure(
            name: "storykeep_certificate_seconds", kind: .gauge, unit: .seconds,
            help: "Seconds until the daemon's certificate expires; NaN where it has none."
        ) { .decimal($0.figures.certificateSeconds.map(Double.init) ?? .nan) },
        Figure(name: "storykeep_received_bytes", kind: .counter, unit: .bytes, help: "Bytes that clients sent.") {
            .one($0.figures.received)
        },
        Figure(name: "storykeep_sent_bytes", kind: .counter, unit: .bytes, help: "Bytes that clients were sent.") {
            .one($0.figures.sent)
        },
        Figure(
            name: "storykeep_waiting_bytes", kind: .gauge, unit: .bytes,
            help: "Bytes kept for clients: requests that have not begun, and output that was not read."
        ) { .one($0.waitingBytes) },
        Figure(name: "storykeep_subscriptions", kind: .gauge, labels: ["of"], help: "Subscriptions that are active.") {
            .labelled([("events", $0.sums.eventSubscriptions), ("rows", $0.sums.rowSubscriptions)])
        },
        Figure(
            name: "storykeep_slowest_subscription_lag_events", kind: .gauge,
            help: "Events that the slowest subscription has not looked at."
        ) { .one($0.sums.lag) },
        Figure(
            name: "storykeep_row_changes", kind: .counter,
            help: "Row changes that were computed for subscriptions, each once for all of them."
        ) { .one($0.publishing.rowChanges) },
    ]

    private static let workers = [
        Figure(
            name: "storykeep_cursor_lag_events", kind: .gauge,
            help:
                "Events that the cursor that is farthest behind has not done, or not looked at while it has nothing to do."
        ) { .one($0.cursors.lag) },
        Figure(
            name: "storykeep_cursor_parked_events", kind: .gauge,
            help: "Events that workers failed at too often, or that were set aside."
        ) { .one($0.cursors.parked) },
        Figure(
            name: "storykeep_cursor_redeliveries", kind: .counter,
            help: "Deliveries of events that a worker had failed at, or that were parked."
        ) { .one($0.engine.shares.redeliveries) },
        Figure(
            name: "storykeep_cursor_lost", kind: .counter, labels: ["of"],
            help: "Shares of cursors that were lost by their lease, and writes that were refused for a lost one."
        ) { .labelled([("leases", $0.engine.shares.leasesLost), ("writes", $0.engine.shares.writesLost)]) },
    ]

    private static let find = [
        Figure(
            name: "storykeep_find_position", kind: .gauge,
            help: "The last event whose words are in the index; none where there is no index."
        ) { .known($0.finding?.position.map { Double($0.value) }) },
        Figure(
            name: "storykeep_find_duration_seconds", kind: .histogram, unit: .seconds,
            help: "Searches for words, from the request to their end."
        ) { .durations($0.figures.finds) },
    ]

    private static let disk = [
        Figure(
            name: "storykeep_stored_bytes", kind: .gauge, unit: .bytes, labels: ["part"], help: "Bytes of the files."
        ) { source in
            let models = [("log", source.logBytes), ("journal", source.journalBytes), ("models", source.modelBytes)]
            return .labelled(models + [("find", UInt64(clamping: source.finding?.bytes ?? 0))])
        },
        Figure(
            name: "storykeep_memory_bytes", kind: .gauge, unit: .bytes, labels: ["part"],
            help: "Memory without the maps of files, and the part of it that waits for a checkpoint."
        ) { source in
            let anonymous = source.process.anonymousBytes.map { [("anonymous", $0)] } ?? []
            return .labelled(anonymous + [("buffered", source.bufferedBytes)])
        },
        Figure(
            name: "storykeep_disk_free_bytes", kind: .gauge, unit: .bytes,
            help: "Bytes that are free for the daemon on the file system of the data."
        ) { .one($0.freeBytes) },
        Figure(name: "storykeep_checkpoints", kind: .counter, help: "Checkpoints of the models that were written.") {
            .one($0.checkpoints.count)
        },
        Figure(
            name: "storykeep_checkpoint_duration_seconds", kind: .histogram, unit: .seconds,
            help: "Checkpoints, beside the loop."
        ) { .durations($0.figures.checkpoints) },
        Figure(
            name: "storykeep_model_rebuilds", kind: .counter,
            help: "Replacements of damaged models by new ones, which were folded from the log."
        ) { .one($0.figures.rebuilds) },
        Figure(
            name: "storykeep_model_scrubs", kind: .counter,
            help: "Rounds of the scrub that found every page of the stored models as it was written."
        ) { .one($0.figures.scrubs) },
        Figure(
            name: "storykeep_model_scrub_age_seconds", kind: .gauge, unit: .seconds,
            help: "Seconds since the last of these rounds, or since the start where none has ended."
        ) { .one($0.figures.secondsSinceScrub) },
        Figure(
            name: "storykeep_erasures", kind: .counter, help: "Erasures that were carried out."
        ) { .one($0.figures.erasures) },
        Figure(
            name: "storykeep_flushes", kind: .counter, help: "Flushes of the journal into the log."
        ) { .one($0.figures.flushes) },
        Figure(
            name: "storykeep_condition", kind: .gauge, labels: ["condition"],
            help: "1 while the daemon is in this condition."
        ) { source in
            let now = source.conditions
            return .labelled(StoreCondition.allCases.map { ($0.rawValue, now.contains($0) ? 1 : 0) })
        },
    ]

    private static let process = [
        Figure(
            name: "process_start_time_seconds", kind: .gauge, unit: .seconds,
            help: "Start of the daemon, in seconds since 1970."
        ) { .decimal(Double($0.figures.started.milliseconds) / 1_000) },
        Figure(
            name: "process_cpu_seconds", kind: .counter, unit: .seconds, help: "Processor time of the daemon."
        ) { .decimal($0.process.processorSeconds) },
        Figure(
            name: "process_resident_memory_bytes", kind: .gauge, unit: .bytes,
            help: "Memory of the daemon that is resident, maps of files included."
        ) { .known($0.process.residentBytes.map { Double($0) }) },
        Figure(name: "process_open_fds", kind: .gauge, help: "Descriptors that are open.") {
            .known($0.process.openDescriptors.map { Double($0) })
        },
        Figure(name: "process_max_fds", kind: .gauge, help: "Descriptors that may be open.") {
            .one($0.process.mostDescriptors)
        },
    ]
}
