import StoryCore
import StoryEngine

/// The checkpoints of all models, built-in and declared, as the commit cycle begins them.
struct ModelCheckpoints {
    private let builtIn: Checkpoints
    private let declared: DeclaredModels
    private let engine: Engine

    init(_ builtIn: Checkpoints, _ declared: DeclaredModels, _ engine: Engine) {
        (self.builtIn, self.declared, self.engine) = (builtIn, declared, engine)
    }

    /// Begins the checkpoints that have events to store.
    func begin(at position: Position) {
        for checkpoints in declared.checkpoints where position > checkpoints.checkpointed {
            freeze(checkpoints, at: position)
        }
        if position > builtIn.checkpointed { freeze(builtIn, at: position) }
    }

    /// Begins the checkpoints that are due, and advances those of the declared models that answer.
    func advance(at position: Position, mayBegin: Bool) {
        if mayBegin, builtIn.isDue(at: position) { freeze(builtIn, at: position) }
        let largest = declared.largest
        for checkpoints in declared.checkpoints {
            checkpoints.advance()
            guard mayBegin, checkpoints.isDue(at: position) || checkpoints === largest else { continue }
            freeze(checkpoints, at: position)
        }
    }

    /// Freezes models for a checkpoint. The log is flushed before they are stored: stored models that were ahead of a log
    /// whose journal was lost would have to be discarded.
    private func freeze(_ checkpoints: Checkpoints, at position: Position) {
        precondition(engine.head == position, "freeze at \(position.value), but folded through \(engine.head.value)")
        checkpoints.freeze(at: position)
        checkpoints.advance()
    }
}
