import StoryCore
import StoryModels

/// Where answers that are made in steps look: the models as they are at each step, and what changes between.
struct QuerySource {
    /// What there is now.
    let world: () -> World
    let changes: RowChanges
}
