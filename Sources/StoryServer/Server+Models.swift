package import StoryCore
import StoryEngine
import StoryFold
import StoryStorage
import StoryWire

/// The declared models, which are built and served between the turns.
extension Server {
    static func declaredModels(_ dependency: ServerDependency, _ flush: LogFlush) -> DeclaredModels {
        let checkpoints = { (store: any ServedModels) in
            Checkpoints(
                store, flush, dependency.trace, dependency.figures, dependency.background, whenDone: dependency.wake)
        }
        return DeclaredModels(
            DeclaredModels.Parts(
                log: dependency.log, engine: dependency.engine,
                isReplica: dependency.configuration.follow != nil, shelf: dependency.shelf, trace: dependency.trace,
                stored: dependency.logWork.store?.log, background: dependency.background, whenDone: dependency.wake,
                returnFreedPages: dependency.returnFreedPages, events: { ProgramEventReader() },
                clock: dependency.clock.steady, checkpoints: checkpoints))
    }

    /// Gives the builds of declared models their share, and serves by the definitions that answer now.
    func buildModels() {
        advanceModels { () throws(StorageError) in
            try declared.advance(acknowledged: driver.acknowledged) { (name, event) throws(StorageError) in
                guard follower == nil, drainDeadline == nil, !driver.holdsWrites, dependency.engine.refusal == nil
                else { return false }
                try dependency.engine.models.activate(
                    name, event, by: dependency.uid, dependency.clock.now(), into: requests.output(nil))
                dependency.transport.requestTurn()
                return true
            }
        }
    }

    /// Serves by the definitions that the log has, after events were undone.
    func followModels() {
        advanceModels { () throws(StorageError) in try declared.follow(acknowledged: driver.acknowledged) }
    }

    func advanceModels(_ step: () throws(StorageError) -> DeclaredModels.Change?) {
        guard stopReason == nil else { return }
        do throws(StorageError) {
            guard let change = try step() else { return }
            do throws(SchemaError) {
                try catalogueReplaced(by: change)
            } catch {
                throw .failed("\(error)")
            }
        } catch {
            driver.fail(error)
        }
    }

    /// Serves by another catalogue from now on, between two turns; ends the subscriptions to rows of kinds that it lacks.
    ///
    /// - Parameter catalogue: a catalogue that follows the present one.
    /// - Throws: the first filter that has the name of an option; then nothing was replaced.
    package func catalogueReplaced(by catalogue: Catalogue) throws(SchemaError) {
        try catalogueReplaced(by: DeclaredModels.Change(to: CataloguePlan(catalogue)))
    }

    func catalogueReplaced(by change: DeclaredModels.Change) throws(SchemaError) {
        dependency.engine.flush()
        let catalogue = change.plan.catalogue
        try dependency.catalogueReplaced(by: change.plan, declared: change.declared)
        for connection in connections.all where connection.session.rowSubscriptionCount > 0 {
            let before = connection.session.subscriptionCount
            connection.session.moveSubscriptions(change.replaced, into: requests.output(connection))
            publishing.add(connection)
            connection.session.endSubscriptions(
                outside: catalogue, restsOn: dependency.log.head, into: requests.output(connection))
            if connection.session.subscriptionCount != before { connections.subscriptionsChanged(connection) }
        }
    }
}
