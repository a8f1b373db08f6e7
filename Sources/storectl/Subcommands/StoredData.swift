import StoryClient
import StoryCore
import StoryStorage

/// Where the data lies that a subcommand reads itself, and what it says where that is damaged.
enum StoredData {
    /// The directory as told; else the one of the daemon; else, where none answers, the usual one.
    ///
    /// - Parameter ask: asks the daemon what has to be asked before.
    static func place(
        _ invocation: Invocation, _ ask: () throws(CommandError) -> Void = {}
    ) throws(CommandError) -> String {
        if invocation.arguments.has("data") { return try invocation.dataDirectory() }
        do throws(CommandError) {
            try ask()
            let reply = try invocation.ask("STATS")
            guard case .text(let path)? = JSONText(reply.final.json)?.members["data"] else {
                throw CommandError.system("the daemon does not say where its data is; say it with --data DIR")
            }
            return path
        } catch {
            guard isAlone(error, invocation) else { throw error }
            return try invocation.dataDirectory()
        }
    }

    /// True where no daemon answers and none was asked for by name.
    static func isAlone(_ error: CommandError, _ invocation: Invocation) -> Bool {
        guard case .store(.cannotConnect) = error else { return false }
        return !invocation.arguments.has("socket")
    }

    /// What a failure to read the data comes to; damage is told at once.
    static func told(_ error: StorageError) -> CommandError {
        switch error {
        case .corrupt(let reason, let position):
            let place = position.map { " at position \($0.value)" } ?? ""
            Output.complain("the store is damaged\(place): \(reason); restore a backup")
            return .silent(.corrupt)
        case .full(let reason), .failed(let reason), .held(let reason): return .system(reason)
        }
    }

    /// A position or a time that an option names.
    static func moment(_ text: String, _ option: String) throws(CommandError) -> Moment {
        if let number = UInt64(text), number <= Position.max.value { return .position(Position(number)) }
        if let time = Instant(text) { return .time(time) }
        throw .usage("--\(option) is a position or an RFC 3339 time, not \"\(text)\"")
    }
}
