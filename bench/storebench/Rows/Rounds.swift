import Foundation

/// Measures rows: the contenders of a shape take turns, since what the machine can do drifts from minute to minute.
final class Rounds {
    private let size: Size
    private let results: Results
    /// What the rows of one kind of data stand on, while there are some.
    private var shared: (data: SharedData, stage: Stage)?

    init(_ size: Size, _ results: Results) {
        self.size = size
        self.results = results
    }

    /// Measures one row. Those that share their data come one after the other (`Row.byData`).
    func measure(_ row: Row) throws(BenchError) {
        let stage = try stage(for: row)
        do { try measure(row, on: stage) } catch {
            // What a row left behind half done is not for the next one.
            finish()
            stage.stop()
            throw error
        }
        if row.data == .own { stage.stop() }
    }

    /// Stops what the last rows shared.
    func finish() {
        shared?.stage.stop()
        shared = nil
    }

    private func stage(for row: Row) throws(BenchError) -> Stage {
        if row.data != .own, let shared, shared.data == row.data { return shared.stage }
        finish()
        let stage = try Stage(size)
        if row.data != .own { shared = (row.data, stage) }
        return stage
    }

    private func measure(_ row: Row, on stage: Stage) throws(BenchError) {
        for shape in row.shapes {
            let ready = try prepare(row, shape, stage)
            stage.pin(shape.isPinned)
            for round in 0..<min(shape.rounds ?? size.rounds, size.rounds) {
                for (contender, measure) in ready {
                    Progress.show("\(row.id) \(shape.name): round \(round + 1), \(contender.name)")
                    let sample = try measure()
                    results.add(
                        Measured(
                            row: row.id, shape: shape.name, contender: contender.name, round: round, unit: shape.unit,
                            sample: sample))
                }
            }
            stage.pin(false)
        }
    }

    private func prepare(
        _ row: Row, _ shape: Shape, _ stage: Stage
    ) throws(BenchError) -> [(Contender, Stage.Measure)] {
        var ready: [(Contender, Stage.Measure)] = []
        for contender in shape.contenders {
            Progress.show("\(row.id) \(shape.name): getting \(contender.name) ready")
            do {
                ready.append((contender, try contender.prepare(stage)))
            } catch {
                guard contender.name != shape.contenders[0].name else { throw error }
                note("skipped \(contender.name): \(error)")
            }
        }
        return ready
    }

    private func note(_ sentence: String) { if results.omit(sentence) { Progress.say(sentence) } }
}

/// What goes on, on a terminal's standard error; sentences that matter are said there without one, too.
enum Progress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ text: String) {
        guard isTerminal else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    static func say(_ text: String) {
        FileHandle.standardError.write(Data(((isTerminal ? "\r\u{1B}[K" : "") + text + "\n").utf8))
    }
}
