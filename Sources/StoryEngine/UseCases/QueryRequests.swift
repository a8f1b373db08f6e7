import StoryCore
import StoryFold

/// Requests that read rows and events in steps: each step reads the present models, durable or not.
///
/// The result rests on the head at the last step, so an answer that has not begun rests on nothing.
struct QueryRequests {
    let engine: Engine

    private var world: World { engine.world }

    func list(_ query: ListQuery, tag: Tag?, to output: any TurnOutput) {
        begin(tag, output) { () throws(Failure) in
            let page = try BrowseOrdered.page(query, of: world.schema(query.kind), in: engine)
            output.answer(with: page, tag: tag, restsOn: .zero)
        }
    }

    /// `COUNT`: from stored tallies if they have the number, otherwise in steps.
    func count(
        _ kind: Kind, _ conditions: [Condition], tag: Tag?, to output: any TurnOutput
    ) throws(StorageError) {
        let schema = world.schema(kind)
        let (rows, plan) = (world.rows(of: schema), QueryPlan(schema, conditions))
        var count = 0
        switch plan.count {
        case .tally(let key, let less):
            let all = try rows.tally(schema, at: key)
            let others = try less.map { (key) throws(StorageError) in try rows.tally(schema, at: key) } ?? 0
            count = Int(clamping: all - min(others, all))
        case .unique(let text, let rest):
            try rows.row(schema, folded: text) { row in if rest.match(row) { count = 1 } }
        case .walk:
            let cursor = RowCount(schema, try rows.narrowest(plan, schema), in: engine)
            return output.answer(with: cursor, tag: tag, restsOn: .zero)
        }
        output.reply(.done(.counted(count, position: engine.head)), tag: tag, restsOn: engine.head)
    }

    func read(_ query: ReadQuery, tag: Tag?, to output: any TurnOutput) {
        begin(tag, output) { () throws(Failure) in
            let plan = try ReadEvents.plan(query, in: world, endingAt: output.durable, engine.identity)
            output.answer(with: ReadAnswer(plan, log: world.log, index: world.streams), tag: tag, restsOn: .zero)
        }
    }

    /// Starts a job about the log up to a moment; nil: up to its end.
    func prove(_ moment: Moment?, tag: Tag?, to output: any TurnOutput, _ job: (Position?) -> Job) {
        begin(tag, output) { () throws(Failure) in
            let position = try moment.map { (moment) throws(Failure) in
                try world.position(of: moment, endingAt: output.durable)
            }
            output.start(job(position), tag: tag)
        }
    }

    /// Begins an answer in `body`, or replies with its failure.
    private func begin(_ tag: Tag?, _ output: any TurnOutput, _ body: () throws(Failure) -> Void) {
        do throws(Failure) { try body() } catch { output.reply(.failed(error), tag: tag, restsOn: .zero) }
    }
}
