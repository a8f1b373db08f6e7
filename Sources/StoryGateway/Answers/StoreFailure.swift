import StoryClient

/// The answers to requests that the store refuses, or that it could not be asked.
enum StoreFailure {
    /// The answer with a refusal as the store sent it.
    static func answer(refusal json: [UInt8]) -> HTTPAnswer {
        .json(json, status: status(of: Refusal(json: json).code))
    }

    /// The answer for a request that was refused here or is over a limit of this program, or for a store that is away.
    static func answer(_ error: ClientError) -> HTTPAnswer {
        let message = JSONText.quoted("\(error)")
        if let code = error.code {
            return .json(object(code.rawValue, message: message, retry: error.retry), status: status(of: code))
        }
        return .json(object("unavailable", message: message, retry: .later), status: .unavailable)
    }

    /// The answer for a line that was not sent.
    static func answer(_ malformed: MalformedQuery) -> HTTPAnswer {
        .json(object("syntax", message: JSONText.quoted(malformed.reason), retry: .never), status: .badRequest)
    }

    private static func object(_ code: String, message: String, retry: Retry) -> [UInt8] {
        Array(#"{"code":"\#(code)","message":\#(message),"retry":"\#(retry.rawValue)"}"#.utf8)
    }

    /// Returns the status of HTTP for a code of the protocol.
    static func status(of code: Refusal.Code) -> HTTPAnswer.Status {
        switch code {
        case .syntax, .unknown: .badRequest
        case .denied: .forbidden
        case .notFound: .notFound
        case .conflict, .exists, .keyReused, .diverged, .notLeader, .held, .lost: .conflict
        case .gone: .gone
        case .tooLarge: .tooLarge
        case .invalid: .invalid
        case .busy, .draining, .behind, .unavailable: .unavailable
        case .full: .full
        default: .failed
        }
    }
}
