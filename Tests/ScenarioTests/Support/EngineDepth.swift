import LoopSupport
import StoryCore
import TestSupport

/// The shipped loop over memory: no socket, no file, no thread, no clock.
///
/// What one client sends at once is one turn.
final class EngineDepth: Depth {
    private let bench: LoopBench
    private var heard: [String: [String]] = [:]

    init(_ limits: Limits) { bench = LoopBench(limits) }

    func connect(_ name: String) {
        bench.connect(name)
        bench.run()
    }

    func send(_ bytes: [UInt8], from name: String) {
        bench.receive(bytes, from: name)
        bench.run()
    }

    func nextLine(to name: String) throws -> String? {
        heard[name, default: []] += bench.hear(name)
        guard let line = heard[name]?.first else {
            guard bench.isFinished(name) else { throw TookTooLong(what: "\(name) hears nothing more") }
            return nil
        }
        heard[name]?.removeFirst()
        return line
    }

    func end() {}
}
