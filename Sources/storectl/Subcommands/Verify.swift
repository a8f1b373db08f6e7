import Glibc
import StoryClient
import StoryCore
import StoryLog
import StoryOffline
import StoryStorage

/// The check of a whole log and its models, by the daemon or without one.
enum Verification {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "verify",
            summary: "checks every record of the log: checksums, positions, times, the chain of seals; and the models",
            operand: .none,
            details: [
                "The daemon checks the log and each page of the models while it serves. With --data, or where no daemon "
                    + "answers, the data directory is read, and the models are compared with the folded log.",
                "It exits with 5 where something is damaged, and names the first position.",
            ],
            examples: ["storectl verify", "storectl --data /var/backups/storykeep/story-1 verify"]),
        run: { invocation throws(CommandError) in
            let asked = try invocation.asked { () throws(CommandError) in
                try invocation.askLong("VERIFY", "the daemon checks the log and its models").final.json
            }
            if let asked {
                try tell(asked, invocation)
            } else {
                let data = try invocation.dataDirectory()
                let (head, seal) = try Interruption.endingAtOnce { () throws(CommandError) in try verifyOffline(data) }
                let json = #"{"verified":\#(head.value),"position":\#(head.value),"seal":"\#(seal.text)"}"#
                try tell(Array(json.utf8), invocation)
            }
            return .done
        })

    private static func tell(_ json: [UInt8], _ invocation: Invocation) throws(CommandError) {
        guard !invocation.isJSON, let count = ShownJSON(json)?.members["verified"] else {
            return try invocation.output.line(json)
        }
        try invocation.output.line("verified: every one of \(count.shown) events is as it was written")
        if let words = ShownJSON(json)?.members["words"] {
            try invocation.output.line("the index of words has their words through \(words.shown)")
        }
        if let reason = ShownJSON(json)?.members["wordsDiffer"] {
            try invocation.output.line("the index of words differs, and is made again: \(reason.shown)")
        }
    }

    /// Reads a whole log, beside a daemon or without one.
    private static func verifyOffline(_ path: String) throws(CommandError) -> (head: Position, seal: Seal) {
        ReaderProcess.useFreeNumber(for: path)
        let checking = Progress("checking the log", "events")
        let (directory, checked) = try StoredData.used { () throws(StorageError) in
            let directory = try DataDirectory(path, for: .reading)
            let checked = try LogVerifier.check(directory, now: Clock.system.now()) {
                checking.show($0.value, of: $1.map(\.value))
            }
            return (directory, checked)
        }
        guard Folder.exists(directory.modelsPath) else { return checked }
        var options = Replay.Options()
        options.isVerifying = true
        let report: ReplayReport
        do throws(ReplayError) { report = try StoredData.replay(directory, options) } catch {
            // The log is good, and that is reported; models of another version are folded again at the next start.
            switch error {
            case .models(.failed(let reason)): Output.complain("the stored models were not compared: \(reason)")
            case .erasing:
                Output.complain("the stored models were not compared: an erasure is under way, which replaces them")
            case _: throw StoredData.told(error)
            }
            return checked
        }
        guard report.isAlike else {
            Output.complain(differing)
            throw .silent(.corrupt)
        }
        return checked
    }

    private static let differing =
        "the stored models differ from the log; move the folder models away to fold them anew"
}

/// The subcommand `backup`: a copy that the daemon makes.
enum Backup {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "backup", summary: "copies the log into a new data directory, at one position",
            operand: .required("DIR"),
            details: [
                "The daemon makes the copy while it serves, as its own user; the directory must not exist.",
                "A service or a container may have folders of its own, such as /tmp: a copy there is no copy for others. The "
                    + "package's service may write to /var/backups/storykeep.",
            ],
            examples: ["storectl backup /var/backups/storykeep/story-1"]),
        run: { invocation throws(CommandError) in
            // The daemon may have another working directory.
            let path = try Invocation.absolute(try invocation.arguments.operand("DIR"))
            let wasThere = Folder.isThere(path)
            let reply = try invocation.askLong("BACKUP " + JSONText.quoted(path), "the daemon copies the log")
            // The daemon may see other folders under the same names.
            try look(for: path, wasThere: wasThere)
            try invocation.answers.object(reply.final)
            return .done
        })

    /// Checks that the copy is visible from here.
    ///
    /// - Throws: an error when it is missing, or something else is there.
    private static func look(for path: String, wasThere: Bool) throws(CommandError) {
        guard wasThere || access(path, F_OK) != 0 else { return }
        guard wasThere || errno == ENOENT || errno == ENOTDIR else {
            return Output.complain("the copy was made, and this user may not look at it: \(SystemError.text(errno))")
        }
        throw .system(
            "the daemon has made \(path), but it is not there for you: the daemon sees other folders, as a service "
                + "(PrivateTmp) or in a container does; name a directory that both see, such as one in "
                + "/var/backups/storykeep")
    }
}
