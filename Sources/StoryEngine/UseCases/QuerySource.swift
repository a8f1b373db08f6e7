import StoryCore
import StoryModels

/// The source of answers that are made in steps: the models at each step, and the changes between steps.
struct QuerySource {
    /// Returns the present models and log.
    let world: () -> World
    let changes: RowChanges
}
