import StoryClient
import StoryCore
import StoryOffline
import StoryStorage
import StoryWire

/// The work on data that a subcommand reads itself, and the reports of damage.
enum StoredData {
    /// Does work on data; its failure becomes an error of the command.
    static func used<Value>(_ work: () throws(StorageError) -> Value) throws(CommandError) -> Value {
        do throws(StorageError) { return try work() } catch { throw told(error) }
    }

    /// Folds the log of a directory, or compares its stored models with that, and shows the progress.
    static func replay(
        _ directory: DataDirectory, _ options: Replay.Options
    ) throws(ReplayError) -> ReplayReport {
        var progress = Progress(options.isVerifying ? "comparing the models" : "folding the log", "events")
        var last = Position.zero
        return try Replay(directory, catalogue: .standard, clock: .system).run(options) { position, end in
            // The log is read once more for declared models.
            if position < last { progress = Progress("declared models", "events") }
            last = position
            progress.show(position.value, of: end.value)
        }
    }

    /// Converts a failure to read the data into an error of the command; damage is reported at once.
    static func told(_ error: StorageError) -> CommandError {
        switch error {
        case .corrupt:
            Output.complain("the store is damaged: \(error); restore a backup, or see \"storectl help salvage\"")
            return .silent(.corrupt)
        case .full(let reason): return .full(reason)
        case .failed(let reason), .held(let reason): return .system(reason)
        }
    }

    /// Converts a refusal that this tool made itself, without a daemon.
    static func told(_ failure: Failure) -> CommandError {
        let line = ByteWriter.bytes { ReplyEncoder.append(failure, tag: nil, to: &$0) }
        let json = [UInt8](line.dropFirst(2).dropLast())
        return .refused(Refusal(json: json), json: json)
    }

    /// Converts the failure of a replay into an error of the command.
    static func told(_ error: ReplayError) -> CommandError {
        switch error {
        case .storage(let error): return told(error)
        case .models(.corrupt(let reason, _)):
            Output.complain("the stored models are damaged: \(reason); a start of stored folds them anew from the log")
            return .silent(.corrupt)
        case .models(let error): return told(error)
        case .erasing:
            let message = "an erasure is under way, and replaces the stored models: \"storectl erasures\" has its end"
            return told(Failure(.busy, message))
        case .beyondEnd(let end):
            let message = "the log ends at \(end.value); to= cannot be later"
            let wrong = FieldError(field: "to", rule: .outOfRange, message: message)
            return told(Failure(.invalid, "1 field is wrong: to", .fields([wrong])))
        }
    }

    /// Returns the position or time that an option names.
    static func moment(_ text: String, _ option: String) throws(CommandError) -> Moment {
        if let number = UInt64(text), number <= Position.max.value { return .position(Position(number)) }
        if let time = Instant(text) { return .time(time) }
        throw .usage("--\(option) is 1 to \(Position.max.value), or a time \(Instant.calendar), not \"\(text)\"")
    }
}
