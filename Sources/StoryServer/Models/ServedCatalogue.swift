import StoryCore
import StoryEngine
import StoryFold
import StoryStorage
import StoryWire

/// The catalogue of kinds that the daemon serves by, and its changes with the definitions of declared models.
final class ServedCatalogue {
    /// The parts of the daemon that have the catalogue.
    struct Parts {
        let fold: EventFold
        let reader: RequestReader
        let encoder: ReplyEncoder
        let figures: Figures
    }

    private let parts: Parts
    private let engine: Engine
    private let declared: DeclaredModels
    private let driver: CommitDriver
    private let clients: Clients

    init(_ parts: Parts, engine: Engine, declared: DeclaredModels, driver: CommitDriver, clients: Clients) {
        (self.parts, self.engine, self.declared) = (parts, engine, declared)
        (self.driver, self.clients) = (driver, clients)
    }

    // MARK: Definitions

    /// Gives the builds of declared models their share, and serves by the definitions that answer now.
    ///
    /// - Parameter mayActivate: whether this store may say in its log that a definition answers.
    func build(mayActivate: Bool, by user: UInt32, at clock: Clock) {
        advance { () throws(StorageError) in
            try declared.advance(acknowledged: driver.acknowledged, in: engine.catalogue) {
                (name, event) throws(StorageError) in
                guard mayActivate, !driver.holdsWrites(), engine.refusal == nil else { return false }
                try engine.activate(name, event, by: user, clock.now(), into: clients.output(nil))
                driver.transport.requestTurn()
                return true
            }
        }
    }

    /// Serves by the definitions that the log has, after events were undone.
    func follow() {
        advance { () throws(StorageError) in
            try declared.follow(acknowledged: driver.acknowledged, in: engine.catalogue)
        }
    }

    /// Serves by the change that a step of the declared models makes.
    func advance(_ step: () throws(StorageError) -> CatalogueChange?) {
        guard !driver.life.hasFailed else { return }
        do throws(StorageError) {
            guard let change = try step() else { return }
            do throws(SchemaError) { try replace(by: change) } catch { throw .failed("\(error)") }
        } catch {
            driver.fail(error)
        }
    }

    // MARK: The catalogue

    /// Serves by another catalogue from now on, between two turns.
    ///
    /// - Throws: the first filter that has the name of an option; then nothing was replaced.
    func replace(by change: CatalogueChange) throws(SchemaError) {
        engine.flush()
        declared.folds.giveUp()
        let catalogue = change.plan.catalogue
        let table = try RequestTable(catalogue)
        engine.catalogueReplaced(by: change.plan, declared: change.declared)
        parts.fold.catalogueReplaced(by: change.plan)
        parts.reader.catalogueReplaced(by: table)
        parts.encoder.rows.catalogueReplaced(by: catalogue)
        parts.figures.catalogueReplaced(by: catalogue)
        eachFollowingRows { connection, conversation in
            conversation.session.holdSubscriptions(outside: catalogue, published: clients.publishing.published)
            clients.connections.subscriptionsChanged(connection)
        }
        settleSubscriptions(at: clients.publishing.published)
    }

    /// Moves the subscriptions that were held to the definitions that answer now, or ends them, once the event that
    /// changed the definitions is durable.
    func settleSubscriptions(at durable: Position) {
        let removed: [Kind: KindSchema]
        do throws(StorageError) { removed = try engine.settleChanges(durable: durable) } catch {
            return driver.fail(error)
        }
        guard !removed.isEmpty else { return }
        eachFollowingRows { connection, conversation in
            conversation.session.settleSubscriptions(
                of: removed, in: engine.catalogue, at: durable, into: clients.output(connection))
            clients.publishing.add(connection)
            clients.connections.subscriptionsChanged(connection)
        }
    }

    /// Calls `body` with each connection that follows rows.
    private func eachFollowingRows(_ body: (Connection, Conversation) -> Void) {
        for connection in clients.connections.all {
            guard let conversation = connection.conversation, conversation.session.rowSubscriptionCount > 0 else {
                continue
            }
            body(connection, conversation)
        }
    }
}
