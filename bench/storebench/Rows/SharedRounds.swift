/// Rounds that have several figures: a round is measured when the first of them is asked for.
final class SharedRounds<Round> {
    typealias Measure = (Int, Stage) throws(BenchError) -> Round
    private let measure: Measure
    private var rounds: [Round] = []

    /// - Parameter measure: measures the round of a number.
    init(_ measure: @escaping Measure) { self.measure = measure }

    /// The round of a number.
    func round(_ number: Int, _ stage: Stage) throws(BenchError) -> Round {
        while rounds.count <= number { rounds.append(try measure(rounds.count, stage)) }
        return rounds[number]
    }

    /// What measures one figure, round by round.
    func figure(_ stage: Stage, _ figure: @escaping (Round) -> Sample) -> Stage.Measure {
        var number = 0
        return { () throws(BenchError) in
            defer { number += 1 }
            return figure(try self.round(number, stage))
        }
    }
}
