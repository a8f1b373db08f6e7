import StoryCluster
import StoryCore

/// The effects of the parts of the loop on one another.
extension Server {
    /// Carries out the effects that have arisen, and those that arise meanwhile, in their order.
    func settle() {
        while let effect = effects.next() { perform(effect) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .rolledBack: catalogue.follow()
        case .undone(let position, let failure): erasures?.undone(after: position, failure)
        case .modelsReplaced: driver.refolding.modelsReplaced()
        case .entryReady(let head, let records): cluster?.input { $0.entryReady(head, records: records, at: $1) }
        case .stored(let position): cluster?.stored(through: position)
        case .takesWrites(let takesWrites):
            workers.takesWrites(takesWrites)
            requests.takesWrites(takesWrites)
        case .positionAnswered(let question, let position):
            requests.waits.answered(question, position)
            clients.resume(requests.waits.takeReached(driver.acknowledged))
        case .changeEnded(let id, let end): requests.work.changeEnded(id, end)
        case .seedEnded(let end): cluster?.seedEnded(end)
        case .passedOnEnded(let write, let answer): clients.answered(write, answer)
        case .passingOnHasRoom(let connections): clients.passingOnHasRoom(connections)
        case .leaderIsGone(let term): cluster?.input { $0.leaderIsGone(term, at: $1) }
        }
    }
}
