import Foundation
import Glibc
import TestSupport

/// One run of a story on a daemon some of whose calls fail, and what is found wrong with it.
final class Play {
    /// How a run came to its end.
    enum End: Equatable {
        /// The daemon did all of it.
        case played
        /// It ended before, or did not start.
        case ended(Exit, isStart: Bool)
    }

    let faults: Faults
    let daemon: RunningDaemon
    let isHeld: Bool
    /// The last event that was there before.
    let base: UInt64
    let rules: [FaultRule]
    var ledger = Ledger()
    var complaints: [String] = []
    private(set) var end = End.played
    /// How long a processor worked for each start that succeeded.
    private(set) var starts: [Duration] = []
    private(set) var sockets: [LineSocket] = []
    /// The connections of the sockets, counted over all starts.
    private var numbers: [Int] = []
    private var connections = 0
    /// True once a model was defined.
    private var hasDefined = false
    private let place: Scratch
    private let scratch: Scratch
    /// The file system of the store, where it is one of its own.
    private let system: SmallFileSystem?
    /// Holds the store's environments open, where that is wanted.
    private var holder: Holder?

    /// - Parameters:
    ///   - rules: what fails, from where the story says.
    ///   - stored: a store to begin with; nil: none.
    ///   - system: where the store lies; nil: in memory.
    ///   - isHeld: whether another process has the environments open all the time.
    ///   - tick: how many milliseconds the daemon's ticks are apart.
    init(
        _ rules: [FaultRule], on stored: PreparedStore? = nil, in system: SmallFileSystem? = nil, isHeld: Bool = false,
        tick: Int = 10
    ) throws {
        self.system = system
        place = try Scratch(in: system?.path ?? Scratch.memory)
        scratch = try Scratch()
        faults = try Faults(scratch.place("faults"))
        self.rules = rules
        self.isHeld = isHeld
        base = stored?.base ?? 0
        let data = place.place("data")
        daemon = try RunningDaemon(
            data: data, environment: faults.environment(root: place.path, tick: tick),
            options: ["--journal", "65536"], isStarted: false)
        if let stored { try FileManager.default.copyItem(atPath: stored.data, toPath: data) }
        if isHeld { holder = try Holder(data) }
    }

    /// Where copies go.
    var folder: String { place.path }

    /// Plays a story as far as the daemon goes, then starts it unharmed and holds all that was heard against its log.
    ///
    /// A daemon that no longer answers is a complaint, which is shown with what failed and its trace.
    func run(_ story: [Step]) throws {
        do { try playAll(story) } catch let error as TookTooLong { complaints.append("\(error)") }
    }

    private func playAll(_ story: [Step]) throws {
        end = try play(story)
        faults.disarm()
        try system?.empty()
        if end == .played {
            try checkWriting()
            daemon.send(SIGTERM)
        }
        try hearRest()
        try checkEnd()
        try checkBeside()
        try checkStore()
    }

    /// Who reads beside the daemon sees all that was acknowledged, also when it was just killed.
    func checkBeside() throws {
        guard let head = try holder?.head() else { return }
        for write in ledger.writes {
            if case .acknowledged(let position) = write.outcome, position > head {
                complaints.append("\(write.key) was acknowledged at \(position), and who reads beside sees \(head)")
            }
        }
    }

    /// It greets: notes how long that took it.
    func started() { starts.append(daemon.processorTime) }

    /// Closes what was held open.
    func letGo() { holder = nil }

    // MARK: Playing

    private func play(_ story: [Step]) throws -> End {
        if case .arm? = story.first { faults.arm(rules) }
        if let exit = try start() { return .ended(exit, isStart: true) }
        for (index, step) in story.enumerated() {
            switch step {
            case .arm: if index > 0 { faults.arm(rules) }
            case .fill: try system?.fill()
            case .rest(let milliseconds): usleep(milliseconds * 1_000)
            case .exchange(let requests):
                guard try exchange(requests) else { return .ended(try daemon.wait(), isStart: false) }
            case .restart, .kill:
                let isKill = if case .kill = step { true } else { false }
                if isKill { try daemon.kill() } else { daemon.send(SIGTERM) }
                try hearRest()
                let exit = try daemon.wait()
                if exit != (isKill ? .signal(SIGKILL) : .code(0)) { return .ended(exit, isStart: false) }
                if let exit = try start() { return .ended(exit, isStart: true) }
            }
        }
        return .played
    }

    /// Starts the daemon and connects; answers how it ended where it did.
    private func start() throws -> Exit? {
        try daemon.launch()
        (sockets, numbers) = ([], [])
        var ended: Exit?
        try until("the daemon greets or ends; \(daemon.trace.suffix(300))") {
            if try connect() { return true }
            ended = daemon.exit
            return ended != nil
        }
        if ended == nil { started() }
        return ended
    }

    /// Connects every client; false while the daemon does not listen, or no longer.
    private func connect() throws -> Bool {
        while sockets.count < Story.clients {
            guard let socket = try? LineSocket(daemon.socket), let greeting = try socket.nextLine() else {
                return false
            }
            connections += 1
            sockets.append(socket)
            numbers.append(connections)
            hear(greeting, sockets.count - 1, nil)
        }
        return true
    }

    /// Sends requests of several clients, then hears the replies; false where the daemon has ended.
    private func exchange(_ requests: [Int: [Request]]) throws -> Bool {
        let clients = requests.keys.sorted()
        let sending = clients.map { client in
            sockets[client].sendBeside(Array(requests[client, default: []].map { $0.line + "\n" }.joined().utf8))
        }
        if requests.values.joined().contains(where: { $0.line.hasPrefix("DEFINE ") }) { hasDefined = true }
        let isWriting = requests.values.joined().contains { if case .write = $0.purpose { true } else { false } }
        var isAlive = true
        for client in clients {
            for request in requests[client, default: []] {
                // One that hears no more still counts: what it asked for may have been done.
                isAlive = try hearReply(to: request, client, isWriting) && isAlive
            }
        }
        for sender in sending { try sender.join() }
        return isAlive
    }

    /// Hears the reply to a request; false where there is none.
    ///
    /// - Parameter isWriting: whether it may rest on a write that finds no room.
    private func hearReply(to request: Request, _ client: Int, _ isWriting: Bool) throws -> Bool {
        var outcome = Ledger.Outcome.unknown
        if case .write(let key, let count) = request.purpose {
            defer { ledger.writes.append(Ledger.Write(key: key, count: count, outcome: outcome)) }
            guard let line = try final(client, nil) else { return false }
            outcome =
                line.hasPrefix("-") ? .refused(line) : line.number("position").map { .acknowledged($0) } ?? .unknown
            return true
        }
        guard case .question(let kind) = request.purpose else { return try final(client, nil) != nil }
        guard let line = try final(client, kind) else { return false }
        if line.hasPrefix("-"), !isRight(line, to: request, isWriting) {
            complaints.append("\(request.line) was answered \(line)")
        }
        return true
    }

    /// True where a question is rightly refused: what it asks for was never written, or is undone; or the models cannot be
    /// read, which is said before they are built again.
    private func isRight(_ line: String, to request: Request, _ isWriting: Bool) -> Bool {
        let wanted = "u-" + request.line.dropFirst("GET users/".count)
        return switch line.text("code") {
        // The end of a model's build is an event, and all that was asked behind it rests on that.
        case "full": isWriting || hasDefined
        case "internal": line.contains(#""damaged":true"#) && line.contains("/data/models/") && !rules.isEmpty
        case "notFound":
            ledger.writes.contains { write in
                guard write.key == wanted, case .refused = write.outcome else { return false }
                return true
            }
        default: false
        }
    }

    /// The next line that closes a reply.
    private func final(_ client: Int, _ kind: String?) throws -> String? {
        while let line = try sockets[client].nextLine() {
            hear(line, client, kind)
            if line.hasPrefix("+") || line.hasPrefix("-") { return line }
        }
        return nil
    }

    private func hear(_ line: String, _ client: Int, _ kind: String?) {
        let rows = line.hasPrefix(">2") ? "stories" : line.hasPrefix(">") ? nil : kind
        ledger.heard.append(Ledger.Heard(text: line, connection: numbers[client], kind: rows))
    }

    /// Hears what leaves the daemon while it ends, or had left it.
    func hearRest() throws {
        for client in sockets.indices {
            while let line = try sockets[client].nextLine() { hear(line, client, nil) }
            // The daemon waits for it.
            sockets[client].hangUp()
        }
        (sockets, numbers) = ([], [])
    }
}
