/// The costs of declared models beside those of a store without.
enum ModelCostRows {
    static var all: [Row] { [events, answers] }

    private static var events: Row {
        Row(
            id: "M1", title: "the loop's CPU for an event, 50 clients, 20 in flight",
            shapes: [
                shape("16 models of other categories", .append, most: 1.03, "idle") { stage throws(BenchError) in
                    for number in 1...16 {
                        try stage.define("orders", as: "idle\(number)", reading: "idle\(number)", on: "idle")
                    }
                },
                shape("orders reads it", .order, most: 2.06, "orders") { stage throws(BenchError) in
                    try stage.define("orders", on: "orders")
                },
                shape("customers reads it", .placed, most: 2.35, "customers") { stage throws(BenchError) in
                    try stage.define("customers", on: "customers")
                },
                shape("sold changes ten rows", .tenLines, most: 4.4, "sold") { stage throws(BenchError) in
                    try stage.define("sold", on: "sold")
                },
                shape("lines makes ten rows", .tenLines, most: nil, "lines") { stage throws(BenchError) in
                    try stage.define("lines", on: "lines")
                },
                sixteen,
            ])
    }

    /// A store with models beside one without, which gets the same events.
    ///
    /// The bars were given in microseconds above the 1.7 of S15's `APPEND`: 0.05, 1.8 and 2.3, and 8 for ten rows, whose
    /// event takes 2.35 without a model. As ratios they hold on a machine of any speed.
    private static func shape(
        _ name: String, _ work: Work, most: Double?, _ server: String,
        _ define: @escaping (Stage) throws(BenchError) -> Void
    ) -> Shape {
        let loop = Loop(work, clients: 50, inflight: 20)
        return Shape(
            name: name, unit: "µs", isCost: true,
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    try define(stage)
                    try fill(stage, work, server)
                    return try stage.loopTime(loop, on: server)
                },
                Contender("no model") { stage throws(BenchError) in
                    try fill(stage, work, "none")
                    return try stage.loopTime(loop, on: "none")
                },
            ], bars: most.map { [.cost(over: "no model", most: $0)] } ?? [])
    }

    /// The orders that later events are of.
    private static func fill(_ stage: Stage, _ work: Work, _ server: String) throws(BenchError) {
        guard work == .order, stage.isFirst("\(server) has orders") else { return }
        try stage.fillStore(.order, max(16_000, stage.size.million * 2 / 5), on: server)
    }

    /// What 16 models that read the same event add, as a multiple of 16 times what one adds.
    private static var sixteen: Shape {
        Shape(
            name: "16 models read it, beside 16 times one", unit: "×", isCost: true,
            contenders: [
                Contender("storekeep") { stage throws(BenchError) in
                    for number in 1...16 { try stage.define("orders", as: "orders\(number)", on: "sixteen") }
                    try stage.define("orders", on: "one")
                    let loop = Loop(.order, clients: 50, inflight: 20)
                    for server in ["sixteen", "one", "zero"] { try fill(stage, .order, server) }
                    let all = try stage.loopTime(loop, on: "sixteen")
                    let one = try stage.loopTime(loop, on: "one")
                    let none = try stage.loopTime(loop, on: "zero")
                    return { () throws(BenchError) in
                        let (least, single, most) = (try none(), try one(), try all())
                        var sample = most
                        sample.perSecond =
                            (most.perSecond - least.perSecond) / (16 * max(single.perSecond - least.perSecond, 1e-3))
                        return sample
                    }
                }
            ], bars: [.most(1)])
    }

    private static var answers: Row {
        Row(
            id: "M2", title: "the loop's CPU for an answer, rows of 1,000,000, 50 clients, 20 in flight",
            shapes: [
                answer("GET", .getLetter, .get), answer("LIST of a sender, 20 rows", .listLetters, .list20Stories),
            ])
    }

    /// A model whose rows have the content of stories, and stories.
    private static func answer(_ name: String, _ own: Work, _ other: Work) -> Shape {
        Shape(
            name: name, unit: "µs", isCost: true,
            contenders: [
                Contender("letters") { stage throws(BenchError) in
                    try stage.fillStories()
                    if stage.isFirst("store has letters") {
                        try stage.define("letters")
                        try stage.fillStore(.write, stage.size.million)
                        try stage.checkpoint()
                    }
                    return try stage.loopTime(Loop(own, clients: 50, inflight: 20))
                },
                Contender("stories") { stage throws(BenchError) in
                    try stage.loopTime(Loop(other, clients: 50, inflight: 20))
                },
            ], bars: [.cost(over: "stories", most: 1.1)])
    }
}

extension Stage {
    /// Stores the models of a server.
    func checkpoint(_ server: String = "store") throws(BenchError) { try checkpoint(at: store(server)) }

    /// Stores the models of a store or of a node.
    func checkpoint(at server: Service) throws(BenchError) {
        guard storeLink(server.address).ask("CHECKPOINT") else { throw BenchError("CHECKPOINT was refused") }
    }
}
