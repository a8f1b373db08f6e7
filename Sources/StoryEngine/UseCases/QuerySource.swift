import StoryCore
import StoryFold

/// The source of answers that are made in steps: the models at each step, and the changes between steps.
struct QuerySource {
    let world: World
    let limits: Limits
    let feed: ChangeFeed
    /// Returns the last event that the models have at this step.
    let head: () -> Position
}
