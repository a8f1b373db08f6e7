import Foundation

/// What a row's contenders stand on: directories, and servers that are started when the first of them asks.
final class Stage {
    typealias Measure = () throws(BenchError) -> Sample
    let size: Size
    let folder: Folder
    private var folders: [String: Folder] = [:]
    private var services: [String: Service] = [:]
    private var numbers: [String: Int] = [:]
    /// What there is to ask for on each server.
    private var stored: [String: Stored] = [:]

    init(_ size: Size) throws(BenchError) {
        self.size = size
        folder = try Folder("bench")
    }

    /// The row's server of a name, started by `start` the first time.
    func service(_ name: String, _ start: (Folder) throws(BenchError) -> Service) throws(BenchError) -> Service {
        if let there = services[name] { return there }
        let service = try start(folder)
        services[name] = service
        return service
    }

    /// This store; one of another name than `store` has a directory of its own. `isSlow`: on a disk that syncs slowly.
    func store(_ name: String = "store", isSlow: Bool = false) throws(BenchError) -> Service {
        let folder = try folder(name == "store" ? nil : name)
        return try service(name) { _ throws(BenchError) in try Services.store(in: folder, isSlow: isSlow) }
    }

    func redis(_ name: String = "redis", isSlow: Bool = false) throws(BenchError) -> Service {
        let folder = try folder(name == "redis" ? nil : name)
        return try service(name) { _ throws(BenchError) in try Services.redis(in: folder, isSlow: isSlow) }
    }

    /// The directory of a name; nil: the one that all of the others share.
    func folder(_ name: String?) throws(BenchError) -> Folder {
        guard let name else { return folder }
        if let there = folders[name] { return there }
        let made = try Folder(name)
        folders[name] = made
        return made
    }

    /// The first call for a key is true: what shapes and rows share is made once.
    func isFirst(_ key: String) -> Bool { number(key) == 0 }

    /// 0, 1, 2 … for a key.
    func number(_ key: String) -> Int {
        defer { numbers[key, default: 0] += 1 }
        return numbers[key, default: 0]
    }

    /// Remembers how far a series of requests came.
    func next(_ key: String) -> Int { numbers[key, default: 0] }
    func setNext(_ key: String, _ value: Int) { numbers[key] = value }

    /// What a server holds; `note` says what was put there.
    func stored(_ name: String) -> Stored { stored[name, default: Stored()] }
    func note(_ name: String, _ change: (inout Stored) -> Void) { change(&stored[name, default: Stored()]) }

    /// Puts all servers and this program on one core, or lets them run on any.
    func pin(_ isPinned: Bool) {
        let cores = isPinned ? "0" : "0-\(ProcessInfo.processInfo.processorCount - 1)"
        for service in services.values { service.pin(to: cores) }
        _ = try? Command.run(["taskset", "-pc", cores, String(getpid())])
    }

    func stop() {
        Service.stop(Array(services.values))
        services = [:]
    }

    /// The same with SIGKILL.
    func kill(_ name: String) { services.removeValue(forKey: name)?.kill() }

    /// Ends a server, which is started again when it is asked for.
    func stop(_ name: String) { services.removeValue(forKey: name)?.stop() }
}
