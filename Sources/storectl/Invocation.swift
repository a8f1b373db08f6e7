import Foundation
import StoryClient

/// What a subcommand works with: its arguments, where the store is, and where answers go.
struct Invocation {
    let arguments: Arguments
    let output = Output()
    /// How long an answer is waited for.
    let timeout: Duration
    /// Readable once the run was interrupted.
    let interruption: Int32

    init(_ arguments: Arguments) throws(CommandError) {
        let seconds = arguments.value("timeout") ?? "20"
        guard let value = Double(seconds), value > 0, value <= 86_400 else {
            throw .usage("--timeout is a number of seconds above 0, at most 86400, not \"\(seconds)\"")
        }
        self.arguments = arguments
        timeout = .milliseconds(Int64(value * 1_000))
        interruption = Interruption.start()
    }

    var isJSON: Bool { arguments.has("json") }
    var answers: Answers { Answers(output: output, isJSON: isJSON) }

    /// True where a daemon is asked for by name.
    var namesSocket: Bool {
        arguments.has("socket") || ProcessInfo.processInfo.environment["STORED_SOCKET"].map { !$0.isEmpty } == true
    }

    /// The store's socket.
    var address: StoreAddress {
        StoreAddress.resolved(arguments.value("socket"), environment: ProcessInfo.processInfo.environment)
    }

    /// The data directory for work without a daemon.
    func dataDirectory() throws(CommandError) -> String {
        let environment = ProcessInfo.processInfo.environment
        guard let directory = StoreAddress.dataDirectory(arguments.value("data"), environment: environment) else {
            throw .usage("there is no home to look for the data in; say where it is with --data DIR")
        }
        return directory
    }

    /// A path from the root on.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Connects to the daemon.
    func connect() throws(CommandError) -> StoreConnection {
        guard !arguments.has("data") || arguments.has("socket") else {
            let hint = arguments.verb == "append" ? "; the event's data goes with --body" : ""
            throw .usage("\(arguments.verb ?? "") asks a running daemon; give its --socket in place of --data\(hint)")
        }
        do throws(StoreError) {
            return try StoreConnection(to: address, timeout: timeout, interruption: interruption)
        } catch {
            throw .store(error)
        }
    }

    /// Sends one request; a refusal is thrown.
    func ask(_ request: String) throws(CommandError) -> StoreReply { try Answerer(try connect()).ask(request) }

    /// Sends a request that is long work, and waits for it as long as it takes, unless a time was given.
    func askLong(_ request: String) throws(CommandError) -> StoreReply {
        let connection = try connect()
        if !arguments.has("timeout") { connection.timeout = nil }
        return try Answerer(connection).ask(request)
    }

    /// Who answers queries: the daemon, or the data directory where one is named.
    func answerer() throws(CommandError) -> Answerer {
        guard arguments.has("data") else { return Answerer(try connect()) }
        return try Answerer(reading: try dataDirectory())
    }
}
