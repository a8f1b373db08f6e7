import StoryCore
import StoryFold

/// Requests that read rows and events in steps.
struct QueryRequests {
    let engine: Engine

    private var world: World { engine.world }

    /// The present models at each step of an answer, durable or not. The result rests on the head at the last step, so
    /// an answer that has not begun rests on nothing.
    var source: QuerySource {
        QuerySource(world: world, limits: engine.limits, feed: engine.feed, head: { [engine] in engine.head })
    }

    func list(_ query: ListQuery, tag: Tag?, to output: any TurnOutput) {
        begin(tag, output) { () throws(Failure) in
            let page = try BrowseOrdered.page(query, of: world.schema(query.kind), in: source)
            output.answer(with: page, tag: tag, restsOn: .zero)
        }
    }

    func count(
        _ kind: Kind, _ conditions: [Condition], tag: Tag?, to output: any TurnOutput
    ) throws(StorageError) {
        let head = engine.head
        switch try CountRows.answer(world.schema(kind), conditions, in: source) {
        case .known(let count): output.reply(.done(.counted(count, position: head)), tag: tag, restsOn: head)
        case .counting(let cursor): output.answer(with: cursor, tag: tag, restsOn: .zero)
        }
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
