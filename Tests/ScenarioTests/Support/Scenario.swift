import StoryCore
import TestSupport
import Testing

/// What clients say to a store and what they hear, the same at every depth.
struct Scenario {
    /// One thing that a client does; the client called `a` is connected from the start.
    enum Step {
        case connects(String, greeting: String)
        /// Sends these lines at once, then hears those.
        case sends([String], [String], by: String)
        /// Hears these lines without having said anything.
        case hears([String], by: String)
        /// Finds that the store has closed the connection.
        case isClosed(by: String)
    }

    static let greeting = "* {<rest>"

    private let limits: Limits
    private let steps: [Step]

    init(_ steps: Step..., limits: Limits = Limits()) { self.init(steps, limits: limits) }

    init(_ steps: [Step], limits: Limits = Limits()) {
        self.limits = limits
        self.steps = [.connects("a", greeting: Scenario.greeting)] + steps
    }

    /// Plays it; each line that is not as it should be is an issue, and the first one of a step ends it.
    func play(at kind: DepthKind, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let depth = try kind.make(limits)
        var memory: LinePattern.Memory = [:]
        for (number, step) in steps.enumerated() {
            guard try play(step, depth, &memory, "step \(number) at \(kind.rawValue)", sourceLocation) else { break }
        }
        try depth.end()
    }

    private func play(
        _ step: Step, _ depth: any Depth, _ memory: inout LinePattern.Memory, _ place: String,
        _ location: SourceLocation
    ) throws -> Bool {
        switch step {
        case .connects(let client, let greeting):
            try depth.connect(client)
            return try hear([greeting], client, depth, &memory, place, location)
        case .sends(let lines, let replies, let client):
            let text = lines.map { LinePattern.filled($0, memory) + "\n" }.joined()
            try depth.send(Array(text.utf8), from: client)
            return try hear(replies, client, depth, &memory, "\(place), \(text.prefix(120))", location)
        case .hears(let lines, let client):
            return try hear(lines, client, depth, &memory, place, location)
        case .isClosed(let client):
            let line = try depth.nextLine(to: client)
            expect(line == nil, "\(place): \(client) should be cut off", sourceLocation: location)
            return line == nil
        }
    }

    private func hear(
        _ patterns: [String], _ client: String, _ depth: any Depth, _ memory: inout LinePattern.Memory,
        _ place: String, _ location: SourceLocation
    ) throws -> Bool {
        for pattern in patterns {
            let line = try depth.nextLine(to: client) ?? "(the connection is closed)"
            let isAsWanted = LinePattern(pattern).matches(line, &memory)
            expect(isAsWanted, "\(place): heard\n\(line)\ninstead of\n\(pattern)", sourceLocation: location)
            guard isAsWanted else { return false }
        }
        return true
    }
}

extension Scenario.Step {
    /// One request and its reply.
    static func says(_ line: String, _ replies: String..., by client: String = "a") -> Scenario.Step {
        .sends([line], replies, by: client)
    }

    static func connects(_ client: String) -> Scenario.Step { .connects(client, greeting: Scenario.greeting) }

    static func hears(_ lines: String..., by client: String) -> Scenario.Step { .hears(lines, by: client) }
}
