import StoryCore
import StoryLog
import StoryFold
import StoryStore
import StoryStorage
import StoryWire

/// A build of models beside the served ones, in an environment of their own: a fold of the log from its start.
///
/// Unchecked: the loop hands it from one thread to the next.
final class ModelBuild: @unchecked Sendable {
    /// The plan of the catalogue that the models are of.
    let plan: CataloguePlan
    private let models: LMDBModelStore
    private let projector: ModelProjector

    /// Begins a build; on any thread.
    ///
    /// - Parameter bytes: the size of the models that are to be replaced.
    /// - Throws: `.full` where the disk lacks room for as much again, so that writes need not find it full; otherwise
    ///   when the system refuses.
    init(beside identity: ModelIdentity, by plan: CataloguePlan, bytes: Int) throws(StorageError) {
        self.plan = plan
        if let free = DiskSpace.free(at: identity.folder), free < UInt64(bytes) {
            throw .full("new models need up to \(bytes >> 20) MiB, and the disk has \(free >> 20) MiB")
        }
        models = try LMDBModelStore(beside: identity)
        projector = ModelProjector(plan, store: models, json: JSONObjectReader())
    }

    /// The position that the models are folded and stored up to.
    var position: Position { models.checkpointed }

    /// Folds the log through a position and stores the models, with checkpoints on the way that bound the memory.
    ///
    /// - Throws: `.corrupt` where the log is damaged; `.full` where the disk is; `.failed` once it must end.
    func fold(_ view: LogView, through last: Position, _ mustEnd: EndFlag) throws(StorageError) {
        try view.scan(from: position.next, through: last) { (next, record) throws(StorageError) in
            try projector.fold(try record.event(at: next))
            if next == last || Checkpoints.isDue(models, at: next) { try models.store(at: next) }
            if mustEnd.isSet { throw .failed("the daemon ends") }
            return true
        }
    }

    /// Closes the models.
    func close() { models.close() }
}
