/// A row of the specification's table: what is measured, of whom, and what must come out.
struct Row {
    let id: String
    let title: String
    let shapes: [Shape]

    /// The rows in the specification's order.
    static var all: [Row] {
        let rows = WriteRows.all + ReadRows.all + StoreRows.all
        return rows.sorted { Int($0.id.dropFirst()) ?? 0 < Int($1.id.dropFirst()) ?? 0 }
    }
}

/// One way of measuring: its contenders take turns, round by round.
struct Shape {
    let name: String
    /// What a sample's figure counts.
    let unit: String
    /// Whether less of it is better.
    var isCost = false
    /// Whether generator and server share one core: with one client one at a time, only one of them ever works, and
    /// where the kernel puts them would decide the figure.
    var isPinned = false
    /// How many rounds of all.
    var rounds: Int?
    let contenders: [Contender]
    let bars: [Bar]
}

/// Someone who is measured. `prepare` makes what the work needs and answers what measures it once.
struct Contender {
    let name: String
    let prepare: (Stage) throws(BenchError) -> (Stage.Measure)

    init(_ name: String, _ prepare: @escaping (Stage) throws(BenchError) -> Stage.Measure) {
        self.name = name
        self.prepare = prepare
    }
}

/// What a row asks for.
enum Bar {
    /// The first contender's median over another's is at least this.
    case ratio(over: String, least: Double)
    /// The first contender's median over another's is at most this.
    case cost(over: String, most: Double)
    /// The first contender's median is at most this.
    case most(Double)
}

/// How much is measured.
struct Size {
    let form: String
    var seconds: Double
    var rounds: Int
    /// Events or stories where the specification says 1,000,000.
    var million: Int
    /// What is filled in before reads of streams.
    var streamed: Int

    static let full = Size(form: "full", seconds: 1, rounds: 7, million: 1_000_000, streamed: 100_000)
    static let quick = Size(form: "quick", seconds: 0.5, rounds: 3, million: 100_000, streamed: 100_000)
    /// Shows only that it works: for the tests.
    static let tiny = Size(form: "tiny", seconds: 0.05, rounds: 2, million: 10_000, streamed: 2_000)

    /// 10,000,000 in the full size, and what it is compared with.
    var large: Int { million * 10 }
    var small: Int { million / 10 }

    static func named(by arguments: [String]) -> Size {
        arguments.contains("--tiny") ? .tiny : arguments.contains("--quick") ? .quick : .full
    }
}
