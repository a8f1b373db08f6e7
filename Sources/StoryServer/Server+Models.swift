package import StoryCore
import StoryEngine
import StoryFold
import StoryStorage

/// The declared models, which are built and served between the turns.
extension Server {
    /// Gives the builds of declared models their share, and serves by the definitions that answer now.
    func buildModels() {
        // The log's definitions are in the models.
        guard !driver.isHalfFolded else { return }
        defer { if let connection = declared.folds.takeEnded() { requests.resume([connection]) } }
        advanceModels { () throws(StorageError) in
            try declared.advance(acknowledged: driver.acknowledged) { (name, event) throws(StorageError) in
                guard follower == nil, cluster?.takesWrites != false, drainDeadline == nil, !driver.holdsWrites(),
                    dependency.engine.refusal == nil
                else { return false }
                try dependency.engine.activate(
                    name, event, by: dependency.uid, dependency.clock.now(), into: requests.output(nil))
                dependency.transport.requestTurn()
                return true
            }
        }
    }

    /// Serves by the definitions that came from elsewhere, which are acknowledged, before another request is answered.
    func definitionsMayHaveCome() {
        guard follower != nil || cluster?.takesWrites == false, declared.hasNews else { return }
        buildModels()
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

    /// Serves by another catalogue from now on, between two turns; holds the subscriptions to rows of kinds that it lacks
    /// until the event that changed the definitions is durable.
    ///
    /// - Parameter catalogue: a catalogue that follows the present one.
    /// - Throws: the first filter that has the name of an option; then nothing was replaced.
    package func catalogueReplaced(by catalogue: Catalogue) throws(SchemaError) {
        try catalogueReplaced(by: DeclaredModels.Change(plan: CataloguePlan(catalogue), declared: [:]))
    }

    func catalogueReplaced(by change: DeclaredModels.Change) throws(SchemaError) {
        dependency.engine.flush()
        declared.folds.giveUp()
        let catalogue = change.plan.catalogue
        try dependency.catalogueReplaced(by: change.plan, declared: change.declared)
        for connection in connections.all where connection.session.rowSubscriptionCount > 0 {
            connection.session.holdSubscriptions(outside: catalogue, published: publishing.published)
            connections.subscriptionsChanged(connection)
        }
        settleSubscriptions(at: publishing.published)
    }

    /// Moves the subscriptions that were held to the definitions that answer now, or ends them, once the event that
    /// changed the definitions is durable.
    func settleSubscriptions(at durable: Position) {
        let engine = dependency.engine
        let removed: [Kind: KindSchema]
        do throws(StorageError) { removed = try engine.settleChanges(durable: durable) } catch {
            return driver.fail(error)
        }
        guard !removed.isEmpty else { return }
        for connection in connections.all where connection.session.rowSubscriptionCount > 0 {
            connection.session.settleSubscriptions(
                of: removed, in: engine.catalogue, at: durable, into: requests.output(connection))
            publishing.add(connection)
            connections.subscriptionsChanged(connection)
        }
    }
}
