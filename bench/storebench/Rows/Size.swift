/// How much is measured.
struct Size {
    let form: String
    var seconds: Double
    var rounds: Int
    /// Events or stories where the specification says 1,000,000.
    var million: Int
    /// Events where streams are read: as many, but enough for each stream to have some.
    var streamed: Int

    static let full = Size(form: "full", seconds: 1, rounds: 7, million: 1_000_000, streamed: 1_000_000)
    static let quick = Size(form: "quick", seconds: 0.5, rounds: 3, million: 100_000, streamed: 300_000)
    /// Shows only that it works: for the tests.
    static let tiny = Size(form: "tiny", seconds: 0.05, rounds: 2, million: 10_000, streamed: 10_000)

    /// 10,000,000 in the full size, and what it is compared with.
    var large: Int { million * 10 }
    var small: Int { million / 10 }

    /// The same for a log of several nodes, each of which stores the events.
    var ofCluster: Size {
        var size = self
        size.million = million / 2
        size.rounds = form == "tiny" ? 1 : rounds
        return size
    }

    static func named(by arguments: [String]) -> Size {
        arguments.contains("--tiny") ? .tiny : arguments.contains("--quick") ? .quick : .full
    }
}
