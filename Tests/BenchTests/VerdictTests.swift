import func TestSupport.expect
import func TestSupport.require
import Testing

@testable import storebench

@Suite struct VerdictTests {
    @Test func `A ratio holds from what is wanted on`() throws {
        expect(try verdict(.ratio(over: "other", least: 1.5), own: [150], other: [100]).holds == true)
        expect(try verdict(.ratio(over: "other", least: 1.5), own: [149], other: [100]).holds == false)
        expect(try verdict(.ratio(over: "other", least: 1.5), own: [300], other: [100]).margin == 2)
    }

    @Test func `A cost holds up to what is wanted`() throws {
        expect(try verdict(.cost(over: "other", most: 1.25), own: [125], other: [100]).holds == true)
        expect(try verdict(.cost(over: "other", most: 1.25), own: [126], other: [100]).holds == false)
    }

    @Test func `A limit holds up to itself`() throws {
        expect(try verdict(.most(64), own: [64], other: []).holds == true)
        expect(try verdict(.most(64), own: [65], other: []).holds == false)
        expect(try verdict(.most(64), own: [0], other: []).holds == true)
    }

    @Test func `A limit that always holds is not passed in any round`() throws {
        expect(try verdict(.always(10), own: [1, 10, 2], other: []).holds == true)
        expect(try verdict(.always(10), own: [1, 11, 2], other: []).holds == false)
        expect(try verdict(.always(10), own: [1, 11, 2], other: []).measured == "11 events/s")
    }

    @Test func `What has to be reached holds from itself on`() throws {
        expect(try verdict(.least(64), own: [64], other: []).holds == true)
        expect(try verdict(.least(64), own: [63], other: []).holds == false)
    }

    @Test func `Medians are compared, not the best rounds`() throws {
        let verdict = try verdict(.ratio(over: "other", least: 1), own: [1, 2, 900], other: [3, 3, 3])
        expect(verdict.holds == false)
        expect(verdict.measured == "0.67×")
    }

    @Test func `Whom nobody measured is not compared with`() throws {
        let verdict = try verdict(.ratio(over: "other", least: 1), own: [100], other: [])
        expect(verdict.holds == nil)
        expect(verdict.sign == "not measured")
        expect(verdict.measured == "other is not here")
    }

    @Test func `A row that was not measured has no verdict`() throws {
        let results = try Results("tiny", writingTo: nil)
        expect(Verdict.all(VerdictTests.row(.most(1)), results).isEmpty)
    }

    @Test func `The specification's rows are all there and each has a bar`() {
        expect(Row.specified.map(\.id) == (1...20).map { "S\($0)" })
        for row in Row.specified { expect(row.shapes.contains { !$0.bars.isEmpty }, "\(row.id)") }
    }

    @Test func `Shapes that the specification does not ask for stand behind its rows and have no bars`() throws {
        let other = Row.all.dropFirst(Row.specified.count)
        expect(other.map(\.id) == ["G"])
        for shape in other.flatMap(\.shapes) { expect(shape.bars.isEmpty, "\(shape.name)") }
    }

    @Test func `Rows of the same data are measured one after the other, the others where they stand`() {
        let order = Row.byData(Row.all).map(\.id)
        expect(Array(order.prefix(9)) == ["S1", "S2", "S3", "S4", "S5", "S11", "S15", "S6", "S7"])
        expect(order.sorted() == Row.all.map(\.id).sorted())
        expect(Row.byData(Row.all.filter { ["S11", "S6"].contains($0.id) }).map(\.id) == ["S6", "S11"])
    }

    @Test(arguments: [
        ("S1", [1.15, 1]), ("S2", [1.2]), ("S3", [1.6]), ("S4", [1.25]), ("S5", [1, 1.2]), ("S6", [1, 1]),
        ("S7", [2.2, 2.2]), ("S8", [1.3]), ("S9", [1, 3]), ("S10", [2, 2]), ("S11", [64, 3, 100]), ("S12", [1.25]),
        ("S13", [1, 1, 2.5]), ("S14", [10, 10, 96]), ("S15", [2.2, 3, 7, 2]), ("S16", [0.9, 3, 0.9]),
        ("S17", [0.8, 0.8]), ("S18", [10, 250, 1]),
        ("S19", [0.8, 1, 1, 0.8, 1, 1]), ("S20", [15_000, 500, 10]),
    ])
    func `The bars are those of the specification`(row: String, bars: [Double]) throws {
        let found = try require(Row.specified.first { $0.id == row }).shapes.flatMap(\.bars).map { bar in
            switch bar {
            case .ratio(_, let figure), .cost(_, let figure): figure
            case .most(let figure), .least(let figure), .always(let figure): figure
            }
        }
        expect(found == bars)
    }

    @Test func `A median is the middle, or between the two middle ones`() {
        expect(figures([3, 1, 2]).median == 2)
        expect(figures([4, 1, 2, 3]).median == 2.5)
        expect(figures([]).median == 0)
        expect(figures([3, 1, 2]).least == 1)
        expect(figures([3, 1, 2]).most == 3)
    }

    @Test func `The median of a latency leaves out the samples that have none`() {
        var timed = Sample(perSecond: 1)
        timed.p99us = 7
        expect(Figures([Sample(perSecond: 1), timed]).latency(\.p99us) == 7)
        expect(Figures([Sample(perSecond: 1)]).latency(\.p99us) == nil)
    }

    @Test(arguments: [
        (0.0, "0"), (0.754, "0.75"), (1, "1"), (1.3, "1.3"), (9.999, "10"), (64, "64"), (99.96, "100"), (999.6, "1 k"),
        (1_250, "1.25 k"), (12_345, "12.3 k"), (999_499, "999 k"), (999_600, "1 M"), (2_410_000, "2.41 M"),
        (31_060_000, "31.1 M"),
    ])
    func `Numbers are written in three digits`(value: Double, text: String) {
        expect(Verdict.text(value) == text)
    }

    private func figures(_ values: [Double]) -> Figures { Figures(values.map { Sample(perSecond: $0) }) }

    private func verdict(_ bar: Bar, own: [Double], other: [Double]) throws -> Verdict {
        let results = try Results("tiny", writingTo: nil)
        for (name, values) in [("own", own), ("other", other)] {
            for (round, value) in values.enumerated() {
                results.add(
                    Measured(
                        row: "S1", shape: "alone", contender: name, round: round, unit: "events/s",
                        sample: Sample(perSecond: value)))
            }
        }
        return try require(Verdict.all(VerdictTests.row(bar), results).first)
    }

    private static func row(_ bar: Bar) -> Row {
        let contenders = ["own", "other"].map { name in
            Contender(name) { _ throws(BenchError) in throw BenchError("nobody measures here") }
        }
        return Row(
            id: "S1", title: "a row",
            shapes: [Shape(name: "alone", unit: "events/s", contenders: contenders, bars: [bar])])
    }
}
