import StoryCore
import StoryEngine
import StoryStorage

/// The erasures, which the log orders and the directory carries out between the turns.
extension Server {
    /// Has the models that read the events of new orders built again: nobody reads their rows.
    func noteErasures() {
        guard let erasing = dependency.erasing, erasing.isUnderWay, !driver.isHalfFolded else { return }
        do throws(StorageError) {
            for order in try erasing.takeOrders(dependency.engine) {
                declared.erase(order.categories)
                if let rehearsed = work.checks.erase(order.categories) { declared.erase(rehearsed) }
            }
        } catch {
            driver.fail(error)
        }
    }

    /// Carries the orders out as far as that goes without waiting.
    func erase() {
        guard let erasing = dependency.erasing, erasing.isUnderWay, !driver.isHalfFolded, !life.hasFailed else {
            return
        }
        do throws(StorageError) {
            try erasing.advance(
                Erasing.Surroundings(
                    tick: driver.tick, areJobsIdle: work.jobs.areIdle, declared: declared, announce: announce,
                    engine: dependency.engine, acknowledged: driver.acknowledged))
        } catch {
            driver.fail(error)
        }
    }

    /// Replies to the requests whose erasure has ended.
    func answerErasures() {
        guard let erasing = dependency.erasing, !driver.isHalfFolded else { return }
        do throws(StorageError) {
            let answers = try erasing.answers(dependency.engine, acknowledged: driver.acknowledged)
            for answer in answers { clients.answer(answer) }
        } catch {
            driver.fail(error)
        }
    }

    /// Fails the requests whose event `Erased` was undone.
    func erasuresUndone(after position: Position, _ failure: Failure) {
        for answer in dependency.erasing?.rolledBack(to: position, failure) ?? [] { clients.answer(answer) }
    }

    /// Appends `ErasureDone` of an erasure; returns false where that is not possible now, nil where others append it.
    private func announce(_ erased: ErasedRecord) throws(StorageError) -> Bool? {
        guard let erasing = dependency.erasing, follower == nil, cluster?.takesWrites != false else { return nil }
        guard life.isServing, !driver.holdsWrites(), dependency.engine.refusal == nil else { return false }
        try dependency.engine.erasureEnded(
            erased.number, on: erasing.media, by: dependency.uid, dependency.clock.now(), into: clients.output(nil))
        dependency.transport.requestTurn()
        return true
    }

    /// Waits for the step in progress, after the loop has ended.
    func endErasing() {
        guard let erasing = dependency.erasing else { return }
        do throws(StorageError) { try erasing.end() } catch { driver.fail(error) }
    }
}
