import LoopSupport
import StoryCore
import TestSupport

/// One who declares a model with a hundred rows an event and a map of a thousand, and appends arrays of events that change
/// all of them: no step of that is long, and each of them is folded once.
final class WideWriter {
    private static let (name, model, stream) = ("wide writer", "wide", "wide-1")
    private static let definition =
        "DEFINE \(model) \"from wide; n: number = 0; m: map(number, 1000); key 'one'; "
        + "on A { n += 1; for x in data.l { row x { n += 1 } m[data.b + x] += 1 } }\""
    private static let keys = (0..<99).map { "\"k\($0)\"" }.joined(separator: ",")

    private var random: SplitMix64
    private var isConnected = false
    private var isGreeted = false
    private var isDefined = false
    /// The request that has no answer.
    private var asked: String?
    private var writes = 0

    init(_ random: SplitMix64) { self.random = random }

    /// True for an event of its stream, or of the definition's.
    static func concerns(_ logged: World.Logged) -> Bool { [stream, "model-\(model)"].contains(logged.stream) }

    func disconnected() { (isConnected, isGreeted, isDefined, asked) = (false, false, false, nil) }

    /// Does something now and then; returns the number of bytes that it sent.
    func act(on process: SimulatedProcess, _ story: Story) -> Int {
        guard random.oneIn(6), asked == nil else { return 0 }
        guard isConnected else {
            process.loop.connect(WideWriter.name)
            isConnected = true
            return 0
        }
        guard isGreeted, !process.loop.isPaused(WideWriter.name) else { return 0 }
        return send(isDefined ? append() : WideWriter.definition, to: process, story)
    }

    private func append() -> String {
        writes += 1
        let events = (0..<random.pick(1, 40, 400)).map { number in
            #"{"type":"A","data":{"b":"\#(number % 10)","l":[\#(WideWriter.keys)]}}"#
        }
        return "APPEND \(WideWriter.stream) [\(events.joined(separator: ","))]"
    }

    private func send(_ line: String, to process: SimulatedProcess, _ story: Story) -> Int {
        asked = line
        story.add("\(WideWriter.name) > \(line.prefix(60))")
        process.loop.receive(line + "\n", from: WideWriter.name)
        return line.utf8.count + 1
    }

    /// Takes what it hears.
    func hear(_ process: SimulatedProcess, _ answers: Answers, _ story: Story) throws {
        guard isConnected else { return }
        for line in process.loop.hear(WideWriter.name) {
            story.add("\(WideWriter.name) < \(line.prefix(120))")
            try answers.heard(line)
            if line.hasPrefix("*") { isGreeted = true }
            guard line.hasPrefix("+") || line.hasPrefix("-") && isGreeted else { continue }
            let code = line.text("code") ?? ""
            guard line.hasPrefix("+") || answers.excused.contains(code) || ["busy", "tooLarge"].contains(code) else {
                throw Difference("\(asked?.prefix(40) ?? "nothing") was refused: \(line)")
            }
            if line.hasPrefix("+"), asked == WideWriter.definition { isDefined = true }
            asked = nil
        }
        guard !process.isStopped, process.loop.isFinished(WideWriter.name) else { return }
        process.loop.close(WideWriter.name)
        disconnected()
    }

    /// Its question was answered.
    func answered() { asked = nil }

    /// Asks how often the events were folded; returns false while it cannot.
    func ask(_ process: SimulatedProcess, _ story: Story) -> Bool {
        if !isConnected { process.loop.connect(WideWriter.name) }
        isConnected = true
        guard isGreeted, asked == nil else { return false }
        _ = send("GET \(WideWriter.model)/one", to: process, story)
        return true
    }

    /// The answer to `ask`; nil while there is none.
    func takeAnswer(_ process: SimulatedProcess) -> String? {
        process.loop.hear(WideWriter.name).last { $0.hasPrefix("+") || $0.hasPrefix("-") && isGreeted }
    }
}

// How it takes part in a run.
extension Simulation {
    /// In the end its model has each event of the log once.
    func endWideWrites() throws {
        guard let wide, world.events.contains(where: { $0.stream == "model-wide" }) else { return }
        let count = world.events.count { $0.stream == "wide-1" }
        var answer: String?
        for _ in 0..<400 {
            guard let process else { throw Difference("it does not run in the end") }
            let isAsked = wide.ask(process, story)
            process.endAll()
            process.tick()
            process.endAll()
            isQuiet = process.turns()
            guard isAsked else {
                try observe()
                continue
            }
            answer = wide.takeAnswer(process)
            try observe()
            wide.answered()
            if count == 0, answer?.text("code") == "notFound" { return }
            if answer?.number("n") == UInt64(count) { return }
        }
        throw Difference("wide/one is of \(count) events, and was answered \(answer ?? "not at all")")
    }
}
