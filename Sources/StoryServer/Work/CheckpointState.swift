import StoryCore
import StoryStorage

/// The state of the checkpoint in progress.
enum CheckpointState {
    /// No checkpoint is in progress.
    case idle
    /// The memtables are frozen, and the log is not flushed through their position yet.
    case waitingForFlush(FrozenModels)
    /// The memtables are being stored.
    case storing(FrozenModels, BackgroundJob<Void>)
    /// Storing failed, and is retried after the delay. Without memtables, they are stored but cannot be read, or are the
    /// models' again, which are to be opened first.
    case failed(FrozenModels?, retry: RetryTimer)
    /// Storing met damage of the stored models. The memtables are the models' again, and no checkpoint begins until the
    /// stored ones are replaced.
    case damaged

    /// True when a checkpoint can begin.
    var isIdle: Bool {
        switch self {
        case .idle: true
        case .waitingForFlush, .storing, .failed, .damaged: false
        }
    }

    /// True when no checkpoint is in progress, so that the stored models can be replaced.
    var isAtRest: Bool {
        switch self {
        case .idle, .damaged: true
        case .waitingForFlush, .storing, .failed: false
        }
    }

    /// True while a thread stores the models.
    var isStoring: Bool {
        switch self {
        case .storing: true
        case .idle, .waitingForFlush, .failed, .damaged: false
        }
    }
}

/// Immutable memtables that wait to be stored.
struct FrozenModels {
    let position: Position
    /// Their size, in bytes.
    let bytes: Int
    /// The work that stores them; it may be repeated where it threw.
    let work: StoringWork
}
