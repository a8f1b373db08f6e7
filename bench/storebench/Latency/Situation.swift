import Glibc

/// What goes on while a client asks for stories.
struct Situation {
    typealias Measure = (Probe) throws(BenchError) -> String
    let name: String
    /// Makes what it needs, and returns what goes on while the probe records.
    let prepare: (Scene) throws(BenchError) -> Measure

    init(_ name: String, _ prepare: @escaping (Scene) throws(BenchError) -> Measure) {
        self.name = name
        self.prepare = prepare
    }

    static var all: [Situation] {
        [
            idle, writers("50 writers APPEND", .append), writers("50 writers POST", .post), checkpoint, backup, replay,
            slow,
        ]
    }

    private static var idle: Situation {
        Situation("idle") { scene throws(BenchError) in
            { probe throws(BenchError) in
                try probe.record { () throws(BenchError) in _ = usleep(UInt32(scene.seconds * 1e6)) }
                return ""
            }
        }
    }

    private static func writers(_ name: String, _ work: Work) -> Situation {
        Situation(name) { scene throws(BenchError) in
            let links = try scene.links(50)
            return { probe throws(BenchError) in try scene.writing(work, links, inflight: 1, probe) }
        }
    }

    /// Only the checkpoint is in the figures, not the stories that are posted before it.
    private static var checkpoint: Situation {
        Situation("CHECKPOINT") { scene throws(BenchError) in
            let link = try scene.links(1)[0]
            return { probe throws(BenchError) in
                try scene.repeated(
                    "checkpoint", probe, before: { () throws(BenchError) in try scene.post(scene.batch) }
                ) { _ throws(BenchError) in
                    guard link.ask("CHECKPOINT") else { throw BenchError("CHECKPOINT was refused") }
                }
            }
        }
    }

    private static var backup: Situation {
        Situation("BACKUP") { scene throws(BenchError) in
            let link = try scene.links(1)[0]
            let folder = try Folder("backups")
            return { probe throws(BenchError) in
                try scene.repeated("backup", probe, before: { folder.clear() }) { _ throws(BenchError) in
                    guard link.ask("BACKUP \"\(folder.path)/copy\"") else {
                        throw BenchError("BACKUP was refused")
                    }
                }
            }
        }
    }

    private static var replay: Situation {
        Situation("storectl replay") { scene throws(BenchError) in
            let words = [Services.programs + "/storectl", "--data", scene.stage.folder.path + "/data", "replay"]
            return { probe throws(BenchError) in
                try scene.repeated("replay", probe) { _ throws(BenchError) in _ = try Command.run(words) }
            }
        }
    }

    /// They ask for everything and take nothing: what they were sent fills their sockets and then waits in the log.
    private static var slow: Situation {
        Situation("1,000 slow subscribers, 1 writer") { scene throws(BenchError) in
            let writer = try scene.links(1)
            let wanted = scene.stage.size.form == "tiny" ? 100 : 1_000
            let count = min(wanted, (writer[0].limit("connections") ?? wanted) - 8)
            let subscribers = try scene.links(count)
            for link in subscribers {
                link.add(0) { $0.put("SUBSCRIBE events from=1\n") }
                link.flush()
            }
            return { probe throws(BenchError) in
                let beside = try scene.writing(.append, writer, inflight: 100, probe)
                let memory = try scene.stage.store().status("RssAnon") ?? 0
                return withExtendedLifetime(subscribers) {
                    "\(beside), \(count) subscribers, \(memory >> 20) MiB not of the map"
                }
            }
        }
    }
}
