import StoryClient
import StoryCore
import StoryReplay
import StoryStorage
import StoryWire

/// Where the data lies that a subcommand reads itself, and what it says where that is damaged.
enum StoredData {
    /// What the daemon answers; nil where the data directory is to be read: it was named, or no daemon answers and none
    /// was asked for by `--socket` or `STORED_SOCKET`.
    ///
    /// - Throws: what `ask` throws otherwise.
    static func asked<Answer>(
        _ invocation: Invocation, _ ask: () throws(CommandError) -> Answer
    ) throws(CommandError) -> Answer? {
        if invocation.arguments.has("data") { return nil }
        try invocation.preferOwnData()
        do throws(CommandError) {
            return try ask()
        } catch {
            guard case .store(.cannotConnect) = error, try !invocation.namesSocket() else { throw error }
            return nil
        }
    }

    /// Where the daemon says that its data lies.
    ///
    /// - Throws: why it cannot be asked.
    static func directory(_ invocation: Invocation) throws(CommandError) -> String {
        let reply = try invocation.ask("STATS")
        guard let path = ShownJSON(reply.final.json)?.members["data"]?.text else {
            throw CommandError.system("the daemon does not say where its data is; say it with --data DIR")
        }
        return path
    }

    /// What a failure to read the data comes to; damage is told at once.
    static func told(_ error: StorageError) -> CommandError {
        switch error {
        case .corrupt:
            Output.complain("the store is damaged: \(error); restore a backup, or see \"storectl help salvage\"")
            return .silent(.corrupt)
        case .full(let reason): return .full(reason)
        case .failed(let reason), .held(let reason): return .system(reason)
        }
    }

    /// What a refusal comes to that no daemon made.
    static func told(_ failure: Failure) -> CommandError {
        var line: [UInt8] = []
        ReplyEncoder.append(.failed(failure), tag: nil, to: &line)
        let json = [UInt8](line.dropFirst(2).dropLast())
        return .refused(Refusal(json: json), json: json)
    }

    /// What a replay that was not made comes to.
    static func told(_ error: ReplayError) -> CommandError {
        switch error {
        case .storage(let error): return told(error)
        case .models(.corrupt(let reason, _)):
            Output.complain("the stored models are damaged: \(reason); a start of stored folds them anew from the log")
            return .silent(.corrupt)
        case .models(let error): return told(error)
        case .beyondEnd(let end):
            let message = "the log ends at \(end.value); to= cannot be later"
            let wrong = FieldError(field: "to", rule: .outOfRange, message: message)
            return told(Failure(.invalid, "1 field is wrong: to", .fields([wrong])))
        }
    }

    /// A position or a time that an option names.
    static func moment(_ text: String, _ option: String) throws(CommandError) -> Moment {
        if let number = UInt64(text), number <= Position.max.value { return .position(Position(number)) }
        if let time = Instant(text) { return .time(time) }
        throw .usage("--\(option) is 1 to \(Position.max.value), or a time \(Instant.calendar), not \"\(text)\"")
    }
}
