import StoryCore
import Testing

/// A store that clients can talk to, however much of it is real.
protocol Depth: AnyObject {
    /// Opens one more connection, which gets a line first: the greeting, or why there is none.
    func connect(_ client: String) throws
    func send(_ bytes: [UInt8], from client: String) throws
    /// The next line that a client gets; nil once the store has closed the connection.
    func nextLine(to client: String) throws -> String?
    func end() throws
}

/// How deep a scenario goes.
enum DepthKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case engine = "the engine alone"
    case server = "a server in this process"
    case daemon = "the daemon"

    var testDescription: String { rawValue }

    func make(_ limits: Limits) throws -> any Depth {
        switch self {
        case .engine: EngineDepth(limits)
        case .server: try ServerDepth(limits)
        case .daemon: try DaemonDepth(limits)
        }
    }
}
