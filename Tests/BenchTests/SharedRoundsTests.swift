import TestSupport
import Testing

@testable import storebench

/// The figures of a round have to be of the same round.
@Suite struct SharedRoundsTests {
    @Test func `A round is measured once, and each figure is of the round of its turn`() throws {
        var measured: [Int] = []
        let shared = SharedRounds { number, _ throws(BenchError) in
            measured.append(number)
            return (100 + number, 200 + number)
        }
        let stage = try Stage(.tiny)
        let one = shared.figure(stage) { Sample(perSecond: Double($0.0)) }
        expect(try [one().perSecond, one().perSecond] == [100, 101])
        let other = shared.figure(stage) { Sample(perSecond: Double($0.1)) }
        expect(try [other().perSecond, other().perSecond, other().perSecond] == [200, 201, 202])
        expect(measured == [0, 1, 2])
    }
}
