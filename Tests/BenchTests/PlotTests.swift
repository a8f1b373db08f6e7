import Testing

@testable import storebench

@Suite struct PlotTests {
    @Test(arguments: [0.0003, 0.9, 1, 4.9, 5, 5.1, 99, 100, 101, 12_345, 2_410_000, 3e9])
    func `A linear axis begins at 0, holds its values and has few round ticks`(most: Double) {
        let axis = Axis.linear([most / 3, most], from: 10, to: 110)
        #expect(axis.low == 0)
        #expect(axis.high >= most * 0.999_999)
        #expect(axis.high < most * 2.001)
        #expect((3...7).contains(axis.ticks.count), "\(axis.ticks)")
        #expect(axis.place(0) == 10)
        #expect(abs(axis.place(axis.high) - 110) < 1e-9)
    }

    @Test func `A linear axis of nothing is one all the same`() {
        for axis in [Axis.linear([], from: 0, to: 100), Axis.linear([0, 0], from: 0, to: 100)] {
            #expect(axis.high > axis.low)
            #expect(axis.place(0) == 0)
        }
    }

    @Test(arguments: [[0.0003, 0.9], [1, 1], [10, 1_000], [9.99, 1_000.1], [3, 5]])
    func `A logarithmic axis goes from a power of ten to another, around its values`(values: [Double]) throws {
        let axis = Axis.logarithmic(values, from: 0, to: 100)
        #expect(axis.low <= (values.min() ?? 0) * 1.000_001)
        #expect(axis.high >= (values.max() ?? 0) * 0.999_999)
        #expect(axis.ticks.count >= 2)
        #expect(axis.ticks.first == axis.low)
        #expect(axis.ticks.last == axis.high)
        for (left, right) in zip(axis.ticks, axis.ticks.dropFirst()) { #expect(abs(right / left - 10) < 1e-6) }
    }

    @Test func `On a logarithmic axis equal factors are equal lengths`() {
        let axis = Axis.logarithmic([1, 10_000], from: 0, to: 400)
        #expect(abs(axis.place(10) - 100) < 1e-9)
        #expect(abs(axis.place(100) - 200) < 1e-9)
    }

    @Test func `What is off an axis stands at its end, and so does what has no logarithm`() {
        let axis = Axis.logarithmic([1, 100], from: 20, to: 120)
        #expect(axis.place(1e9) == 120)
        #expect(axis.place(0.5) == 20)
        #expect(axis.place(0) == 20)
        #expect(axis.place(-3) == 20)
        #expect(Axis.logarithmic([0, -1, .infinity], from: 0, to: 1).high.isFinite)
    }

    @Test(arguments: [[0.5, 2], [0.07, 1.6], [1, 1], [0.04, 12], [0.999, 1.001]])
    func `A fine axis ends at ticks around its values`(values: [Double]) {
        let axis = Axis.fine(values, from: 0, to: 100)
        #expect(axis.low <= (values.min() ?? 0) * 1.000_01)
        #expect(axis.high >= (values.max() ?? 0) * 0.999_99)
        #expect(axis.ticks.count >= 2)
        #expect(axis.high > axis.low)
    }

    @Test func `Upwards is where the second end is less`() {
        let axis = Axis.linear([4], from: 200, to: 100)
        #expect(axis.place(0) == 200)
        #expect(axis.place(axis.high) == 100)
    }

    @Test func `Words and numbers that XML would stumble over are written so that it does not`() throws {
        var drawing = SVG(width: 100, height: 50)
        drawing.text(#"a < b & "c" > d"#, .nan, .infinity)
        drawing.rectangle(1, 2, -3, 4, "#fff")
        #expect(drawing.document.contains("a &lt; b &amp; &quot;c&quot; &gt; d"))
        #expect(!drawing.document.contains("nan") && !drawing.document.contains("inf"))
        #expect(isWellFormed(drawing.document))
    }

    @Test func `A plot of one point, or of zeros, is drawn`() {
        let panel = GrowthPlot.Panel(name: "a figure", unit: "ms", points: [(1_000, 5)])
        let zeros = GrowthPlot.Panel(name: "zeros", unit: "ms", points: [(1_000, 0), (10_000, 0)])
        #expect(isWellFormed(GrowthPlot(panels: [panel, zeros]).drawing().document))
        let line = WaitPlot.Line(name: "nothing", isOwn: true, waits: [0, 0, 0, 0])
        let plot = WaitPlot(title: "waits", groups: [.init(name: "", lines: [line])], mark: 10_000)
        #expect(isWellFormed(plot.drawing().document))
    }
}
