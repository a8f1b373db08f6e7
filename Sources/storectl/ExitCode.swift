import Glibc
import StoryClient

/// What a run came to, for scripts (SPEC §4); the graver ones are greater.
enum ExitCode: Int32 {
    case done = 0
    /// It ran, and the answer is no.
    case no = 1
    /// The command line is wrong, as the tool or the store finds, or the store cannot be reached.
    case unusable = 2
    /// Denied, a limit was met, or the store is full, busy or stopping.
    case denied = 3
    case timedOut = 4
    /// What is stored is not what was written.
    case corrupt = 5
    case interrupted = 130

    /// What a refusal of the store's comes to.
    init(_ refusal: Refusal) {
        switch refusal.code {
        case .syntax, .unknown: self = .unusable
        case .denied, .tooLarge, .full, .busy, .draining: self = .denied
        case .internal where refusal.isDamage: self = .corrupt
        // Codes that are not known yet are a no as well.
        default: self = .no
        }
    }

    /// The graver of two, for a run of many requests.
    func worse(_ other: ExitCode) -> ExitCode { other.rawValue > rawValue ? other : self }
}

/// Why a subcommand stopped.
enum CommandError: Error {
    /// The command line cannot be understood; the sentence says what to do.
    case usage(String)
    /// The store could not be talked to.
    case store(StoreError)
    /// The store said no.
    case refused(Refusal, json: [UInt8])
    /// The answer could not be written, or the input not read.
    case system(String)
    /// There is no room where the sentence says.
    case full(String)
    /// Everything was said already.
    case silent(ExitCode)

    /// What failed to be written, and why.
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
    /// What a failure to talk to the store comes to.
    init(_ error: StoreError) {
        switch error {
        case .timedOut: self = .timedOut
        case .interrupted: self = .interrupted
        case .refused(let refusal): self = ExitCode(refusal)
        case .draining: self = .denied
        case .cannotConnect, .closed, .protocolViolation, .unreadableInput, .system: self = .unusable
        }
    }
}
