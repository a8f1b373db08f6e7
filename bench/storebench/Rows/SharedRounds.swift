/// Rounds that have several figures: a round is measured when the first of them is asked for.
final class SharedRounds<Round> {
    typealias Measure = (Int, Stage) throws(BenchError) -> Round
    private let fill: (Stage) throws(BenchError) -> Void
    private let measure: Measure
    private var rounds: [Round] = []

    /// - Parameters:
    ///   - fill: fills the store before the first round.
    ///   - measure: measures the round of a number.
    init(
        filledBy fill: @escaping (Stage) throws(BenchError) -> Void = { _ throws(BenchError) in },
        _ measure: @escaping Measure
    ) { (self.fill, self.measure) = (fill, measure) }

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

    /// The shape of one figure of each round, of Storykeep alone.
    func shape(
        _ name: String, _ unit: String, isCost: Bool = true, rounds: Int? = 3, bars: [Bar] = [],
        _ figure: @escaping (Round) -> Sample
    ) -> Shape {
        Shape(
            name: name, unit: unit, isCost: isCost, rounds: rounds,
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    try self.fill(stage)
                    return self.figure(stage, figure)
                }
            ], bars: bars)
    }
}
