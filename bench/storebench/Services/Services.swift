import Foundation

/// How each server is started. A server that is not installed is an error that says so.
enum Services {
    /// The build's folder: the programs that this harness measures are beside itself.
    static var programs: String {
        ProcessInfo.processInfo.environment["STORYKEEP_BIN"]
            ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    }

    static func store(in folder: Folder, isSlow: Bool = false) throws(BenchError) -> Service {
        let socket = folder.path + "/s"
        let command = try delayed(isSlow) + [stored(), "--data", folder.path + "/data", "--socket", socket]
        return try Service("storekeep", command, in: folder, address: socket) { answers(socket) }
    }

    /// The path of the daemon.
    static func stored() throws(BenchError) -> String {
        let program = programs + "/stored"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw BenchError("there is no \(program): run swift build -c release")
        }
        return program
    }

    /// What makes each sync of the command behind it take 2 ms more, if that is wanted.
    private static func delayed(_ isSlow: Bool) throws(BenchError) -> [String] {
        guard isSlow else { return [] }
        let library = programs + "/libslowsync.so"
        guard FileManager.default.fileExists(atPath: library) else {
            throw BenchError("there is no \(library): run swift build -c release --product slowsync")
        }
        return ["LD_PRELOAD=" + library]
    }

    /// Redis 7, every write synced before it is answered, no snapshots and no rewriting in the background.
    static func redis(in folder: Folder, isSlow: Bool = false) throws(BenchError) -> Service {
        guard let program = Command.find("redis-server") else { throw BenchError("Redis: install redis-server") }
        let socket = folder.path + "/r"
        let options = [
            "--port", "0", "--unixsocket", socket, "--dir", folder.path, "--save", "", "--appendonly", "yes",
            "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0",
        ]
        let command = try delayed(isSlow) + [program] + options
        return try Service("redis", command, in: folder, address: socket) { answers(socket) }
    }

    static func postgres(in folder: Folder) throws(BenchError) -> Service {
        _ = try Peers.program("postgres")
        let directory = folder.path + "/pg"
        let service = try Service(
            "postgres", [Peers.sources + "/postgres-server", directory], in: folder, address: directory
        ) { FileManager.default.fileExists(atPath: directory + "/.s.PGSQL.5432") }
        _ = try Peers.run("postgres", ["create", "--socket", directory])
        return service
    }

    static func nats(in folder: Folder) throws(BenchError) -> Service { try byURL("nats", in: folder) }
    static func umadb(in folder: Folder) throws(BenchError) -> Service { try byURL("umadb", in: folder) }

    private static func byURL(_ name: String, in folder: Folder) throws(BenchError) -> Service {
        _ = try Peers.program(name)
        let directory = folder.path + "/" + name
        return try Service(
            name, [Peers.sources + "/\(name)-server-run", directory], in: folder, address: directory + "/url"
        ) { FileManager.default.fileExists(atPath: directory + "/url") }
    }

    static func answers(_ socket: String) -> Bool {
        let descriptor = Link.connected(to: socket)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}

/// The peers' programs: what they are is in bench/peers/README.md.
enum Peers {
    static var sources: String { "bench/peers" }

    static func program(_ name: String) throws(BenchError) -> String {
        let path = ".build/peers/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchError("\(name): scripts/peers tells what to install for it")
        }
        return path
    }

    /// Runs one piece of work and reads the line that the program prints.
    static func run(_ name: String, _ arguments: [String]) throws(BenchError) -> Sample {
        let text = try Command.run([try program(name)] + arguments)
        guard let line = text.split(separator: "\n").last,
            let sample = try? JSONDecoder().decode(Sample.self, from: Data(line.utf8))
        else { throw BenchError("\(name) \(arguments.joined(separator: " ")) printed no result") }
        return sample
    }

    /// What a server wrote into the file that has its URL.
    static func url(_ service: Service) throws(BenchError) -> String {
        guard let text = try? String(contentsOfFile: service.address, encoding: .utf8) else {
            throw BenchError("\(service.name) wrote no URL")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
