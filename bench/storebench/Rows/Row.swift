/// A row of the specification's table: what is measured, of whom, and what must come out.
struct Row {
    let id: String
    let title: String
    /// What it stands on; rows of the same data share it.
    var data = SharedData.own
    let shapes: [Shape]

    /// The rows in the specification's order, and then the shapes that it does not ask for.
    static var all: [Row] { specified + [GeneralRows.row] }

    /// The rows of the specification.
    static var specified: [Row] {
        let rows =
            WriteRows.all + ReadRows.all + StoreRows.all + SlowRows.all + PreconditionRows.all
            + [QuestionRows.row, LoopRows.row, WorkerRows.row, ErasureRows.row]
        return rows.sorted { Int($0.id.dropFirst()) ?? 0 < Int($1.id.dropFirst()) ?? 0 }
    }

    /// The rows of declared models: `storebench models`.
    static var ofModels: [Row] { ModelCostRows.all + ModelBuildRows.all }

    /// The rows of a log of several nodes: `storebench cluster`.
    static var ofCluster: [Row] {
        let rows = TakeoverRows.all + EntryRows.all + FollowerRows.all
        return rows.sorted { $0.id < $1.id }
    }

    /// The order of measuring: rows that share their data one after the other, so that it is filled in once.
    static func byData(_ rows: [Row]) -> [Row] {
        var left = rows
        var ordered: [Row] = []
        while let next = left.first {
            let isNext: (Row) -> Bool = { $0.id == next.id || $0.data != .own && $0.data == next.data }
            ordered += left.filter(isNext)
            left.removeAll(where: isNext)
        }
        return ordered
    }
}

/// What is in the stores that a row is measured on.
enum SharedData {
    /// What the row itself fills in.
    case own
    /// As many stories as the specification says 1,000,000.
    case stories
    /// As many events, in 1,000 streams.
    case events
    /// A log of two nodes, and a single store that has the same stories.
    case nodes
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

/// Someone who is measured. `prepare` makes what the work needs and returns what measures it once.
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
    /// The first contender's median is at least this.
    case least(Double)
    /// The first contender is at most this in every round.
    case always(Double)
}
