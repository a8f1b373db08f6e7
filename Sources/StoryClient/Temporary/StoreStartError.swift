/// A failure to start a temporary store.
public enum StoreStartError: Error, Hashable, Sendable {
    /// There is no `stored` at any of these paths.
    case noProgram(paths: [String])
    /// The system refused a call.
    case system(call: String, reason: String)
    /// The daemon ended before it served; `trace` is the last line of its trace.
    case ended(trace: String)
    /// The daemon did not serve in time; `trace` is the last line of its trace.
    case notReady(after: Duration, trace: String)
}

extension StoreStartError: CustomStringConvertible {
    /// One sentence, with the next step.
    public var description: String {
        switch self {
        case .noProgram(let paths):
            "there is no stored at \(paths.joined(separator: ", ")); install it, or set STORYKEEP_BIN to its folder"
        case .system(let call, let reason): "\(call) failed: \(reason)"
        case .ended(let trace): "stored ended before it served; it printed: \(trace)"
        case .notReady(let limit, let trace): "stored did not serve within \(limit); it printed: \(trace)"
        }
    }
}
