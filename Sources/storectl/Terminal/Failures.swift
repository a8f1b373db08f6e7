import Glibc
import StoryClient

/// The exit code of a run, for scripts (docs/operating.md, Stopping); graver codes are greater.
enum ExitCode: Int32 {
    case done = 0
    /// The run succeeded, and the answer is no.
    case no = 1
    /// The command line is wrong, by the tool's or the store's rules, or the store cannot be reached.
    case unusable = 2
    /// The request was denied or exceeded a limit, or the store is full, busy, behind, a replica or stopping.
    case denied = 3
    case timedOut = 4
    /// The stored data is damaged.
    case corrupt = 5
    case interrupted = 130

    /// Maps a refusal of the store to an exit code.
    init(_ refusal: Refusal) { self = refusal.isDamage ? .corrupt : ExitCode(refusal.code) }

    /// Maps the code of a refusal, which is not for damage, to an exit code.
    init(_ code: Refusal.Code) {
        switch code {
        case .syntax, .unknown: self = .unusable
        case .denied, .tooLarge, .full, .behind, .notLeader, .unavailable, .busy, .held, .draining: self = .denied
        // Codes that this program does not know are a no as well.
        default: self = .no
        }
    }

    /// Returns the graver of two codes, for a run of many requests.
    func worse(_ other: ExitCode) -> ExitCode { other.rawValue > rawValue ? other : self }
}

/// The reason why a subcommand stopped.
enum CommandError: Error {
    /// The command line cannot be understood; the sentence says what to do.
    case usage(String)
    /// The communication with the store failed.
    case store(ClientError)
    /// The store refused the request.
    case refused(Refusal, json: [UInt8])
    /// The answer could not be written, or the input not read.
    case system(String)
    /// There is no room at the location that the sentence names.
    case full(String)
    /// The error was reported already.
    case silent(ExitCode)

    /// Returns the error for a file that cannot be written, with the reason.
    static func unwritable(_ name: String, _ code: Int32) -> CommandError {
        let reason = "\(name) cannot be written: \(String(cString: strerror(code)))"
        return code == ENOSPC || code == EDQUOT ? .full(reason + "; make room there") : .system(reason)
    }

    var exitCode: ExitCode {
        switch self {
        case .usage, .system: .unusable
        case .store(let error): ExitCode(error)
        case .refused(let refusal, _): ExitCode(refusal)
        case .full: .denied
        case .silent(let code): code
        }
    }
}

extension ExitCode {
    /// Maps a failure of the communication with the store to an exit code.
    init(_ error: ClientError) {
        switch error {
        case .timedOut: self = .timedOut
        case .interrupted: self = .interrupted
        case .internal(_, isDamaged: true, _): self = .corrupt
        default: self = error.code.map { ExitCode($0) } ?? .unusable
        }
    }
}

extension ClientError {
    /// The failure in one line, with the code of a refusal and the next step.
    var sentence: String {
        switch self {
        case .connectionLost: "the server closed the connection; check its log and try again"
        case .draining(let message): message
        default: (code.map { "\($0.rawValue): " } ?? "") + description
        }
    }
}

extension Refusal {
    /// The refusal in one line: its code, its message, and each wrong field.
    var sentence: String {
        let details = (fields ?? []).map { WrongField($0).sentence }.joined(separator: "; ")
        var text = "\(code.rawValue): \(message)"
        if !details.isEmpty { text += " (\(details))" }
        if let nearest, !message.contains(nearest) { text += "; did you mean \(nearest)?" }
        switch retry {
        case "refetch": text += "; read it again and decide again"
        case "later" where !message.hasSuffix("try again later"): text += "; try again later"
        case "same": text += "; send it again"
        default: break
        }
        return text
    }

    /// The store that takes writes, where the one that refused takes none; nil for any other refusal.
    var leader: StoreAddress? {
        guard code == .notLeader, let address else { return nil }
        return address.contains("/") ? StoreAddress(path: address) : StoreAddress("tls://" + address)
    }

    /// The refusal of a line that a person wrote, with the column where reading stopped.
    var sentenceOfLine: String { sentence + (column.map { " (column \($0))" } ?? "") }
}
