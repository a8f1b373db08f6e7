import Foundation
import Glibc
import TestSupport

/// A data directory in memory, and the daemons that serve it while they are recorded.
final class Stage {
    /// Where everything lies; removed with the stage.
    let place: Scratch
    let data: String
    /// Whether the daemon syncs as slowly as a disk.
    let isSlow: Bool
    /// The size of the journal that the next daemon wants.
    var journal = StoreCheck.journal { didSet { daemon = nil } }
    /// The last position that a client was told of.
    var position: UInt64 = 0
    /// What that was when the recording began.
    private var least: UInt64 = 0
    /// What the keys of its writes begin with; an image has those of another stage.
    private let mark: String
    /// The writes that were sent.
    private var requests: [String] = []
    /// Stores beside the one that is served, and how the line begins that says that one is there.
    var copies: [String: String] = [:]
    /// Texts that are erased, and how the line begins that says that nothing is left of one.
    var gone: [String: String] = [:]
    private(set) var daemon: RunningDaemon?
    private let file: RecordFile
    private var environment: [String] = []

    var root: String { place.place("root") }

    /// - Parameters:
    ///   - image: what lies there at first.
    ///   - position: where its log ends at least.
    init(isSlow: Bool = false, image: Image = Image(), position: UInt64 = 0) throws {
        self.position = position
        mark = image.files.isEmpty ? "w" : "wx"
        place = try Scratch(in: Scratch.memory)
        self.isSlow = isSlow
        data = place.place("root/data")
        guard mkdir(place.place("root"), 0o700) == 0 else { throw SystemRefused(call: "mkdir", code: errno) }
        file = try RecordFile.make(place.place("record"))
        try image.write(to: place.place("root"))
    }

    /// From now on what a daemon does is recorded, on a disk that has all that was done so far.
    func record(failing: String? = nil) throws {
        try FileManager.default.copyItem(atPath: root, toPath: place.place("base"))
        least = position
        let libraries = ["librecorder.so"] + (isSlow ? ["libslowsync.so"] : [])
        environment = [
            "LD_PRELOAD=\(try libraries.map { try Program.path($0) }.joined(separator: ":"))",
            "RECORDER_FILE=\(file.path)", "RECORDER_ROOT=\(root)",
        ]
        try fail(failing)
    }

    /// The sync that the next daemon finds failing: `NAME:N`, the Nth one of a file of that name; or `write:NAME:N`, the
    /// Nth write that syncs itself.
    func fail(_ sync: String?) throws {
        environment.removeAll { $0.hasPrefix("RECORDER_FAILS=") }
        if let sync { environment.append("RECORDER_FAILS=\(sync)") }
        daemon = nil
    }

    /// Starts a daemon, recorded or not.
    func start(fileLimit: Int? = nil) throws {
        if let daemon { return try daemon.start(fileLimit: fileLimit) }
        daemon = try RunningDaemon(
            data: data, fileLimit: fileLimit, environment: environment,
            options: ["--journal", "\(journal)"])
    }

    /// Waits until the daemon has ended because a sync failed.
    func waitForFailure() throws {
        let exit = try daemon?.wait()
        guard exit == .code(5) else { throw TookTooLong(what: "the daemon ended with \(String(describing: exit))") }
    }

    func kill() throws { try daemon?.kill() }

    func stop() throws {
        guard try daemon?.stop() == .code(0) else { throw TookTooLong(what: "SIGTERM: \(daemon?.trace ?? "")") }
    }

    /// A write that has a tag of its own, which is its key as well.
    func request(_ verb: String, _ body: String) -> String {
        let tag = "\(mark)\(requests.count + 1)"
        requests.append("@\(tag) \(verb) key=\(tag) \(body)")
        return requests[requests.count - 1]
    }

    /// A connection to the daemon.
    func client() throws -> Client {
        guard let daemon else { throw TookTooLong(what: "no daemon was started") }
        return Client(try daemon.client(), self)
    }

    /// Runs a program under the recorder.
    func run(_ command: [String]) throws {
        let (output, errors) = (place.place("output"), place.place("errors"))
        let path = command[0].hasPrefix("store") ? try Program.path(command[0]) : command[0]
        let exit = try Program(
            [path] + command.dropFirst(), environment: environment, output: output,
            errors: errors
        ).wait()
        guard exit == .code(0) else { throw TookTooLong(what: "\(command): \(exit) \(Files.text(errors))") }
    }

    /// What was recorded, once nothing runs any more.
    func recording() throws -> Recording {
        try file.close()
        try Files.write(root, to: place.place("name"))
        try Files.write("\(least)", to: place.place("least"))
        try Files.write(requests.joined(separator: "\n"), to: place.place("requests"))
        let lines = copies.map { "\($0.key)\t\($0.value)\n" }
        try Files.write(lines.joined(), to: place.place("copies"))
        try Files.write(gone.map { "\($0.key)\t\($0.value)\n" }.joined(), to: place.place("gone"))
        return try Recording(place.path)
    }
}

/// One client of a stage's daemon.
final class Client {
    private let socket: LineSocket
    private let stage: Stage
    private var waiting = 0

    init(_ socket: LineSocket, _ stage: Stage) { (self.socket, self.stage) = (socket, stage) }

    /// Sends a write without waiting for its reply.
    func send(_ verb: String, _ body: String) { ask(stage.request(verb, body)) }

    /// Sends a request without waiting for its reply.
    func ask(_ line: String) {
        socket.send(line)
        waiting += 1
    }

    /// Waits for the replies to all that was sent; answers the last one.
    @discardableResult
    func settle() throws -> String {
        var last = ""
        while waiting > 0 {
            last = try socket.final()
            waiting -= 1
            if last.hasPrefix("+") { stage.position = max(stage.position, last.number("position") ?? 0) }
        }
        return last
    }

    /// A write and its reply.
    @discardableResult
    func write(_ verb: String, _ body: String) throws -> String {
        send(verb, body)
        return try settle()
    }

    /// Defines the model, and waits for it.
    func define(_ request: String = DeclaredLoad.request) throws {
        ask(request)
        let reply = try settle()
        guard reply.hasPrefix("+") else { throw TookTooLong(what: "DEFINE: \(reply)") }
        try DeclaredLoad.settle(socket)
    }

    /// An event with so many bytes of text.
    func append(_ stream: String, size: Int) throws {
        let reply = try write("APPEND \(stream)", Client.event(size))
        guard reply.hasPrefix("+") else { throw TookTooLong(what: "APPEND: \(reply)") }
    }

    static func event(_ size: Int) -> String {
        #"{"type":"Wrote","tags":["size:\#(size % 9)","w"],"data":{"text":"\#(String(repeating: "x", count: size))"}}"#
    }

    func hangUp() { socket.hangUp() }
}
