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
        defer { if let connection = declared.folds.takeEnded() { clients.resume([connection]) } }
        let mayActivate = follower == nil && cluster?.takesWrites != false && life.isServing
        catalogue.build(mayActivate: mayActivate, by: dependency.uid, at: dependency.clock)
    }

    /// Serves by the definitions that came from elsewhere, which are acknowledged, before another request is answered.
    func definitionsMayHaveCome() {
        guard follower != nil || cluster?.takesWrites == false, declared.hasNews else { return }
        buildModels()
    }

    /// Serves by another catalogue from now on, between two turns; holds the subscriptions to rows of kinds that it lacks
    /// until the event that changed the definitions is durable.
    ///
    /// - Parameter catalogue: a catalogue that follows the present one.
    /// - Throws: the first filter that has the name of an option; then nothing was replaced.
    package func catalogueReplaced(by catalogue: Catalogue) throws(SchemaError) {
        try self.catalogue.replace(by: CatalogueChange(plan: CataloguePlan(catalogue), declared: [:]))
    }
}
