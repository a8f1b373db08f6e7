import StoryCore

/// The share of a turn that folds in steps have: those of writes and entries, and those of models that lost events.
final class FoldShare {
    private let each: Work
    /// The work that is left in this turn.
    private(set) var left: Work
    /// The most work that a step has done beyond its share.
    private(set) var excess = Work.zero

    /// - Parameter each: the work of a turn.
    init(_ each: Work) { (self.each, left) = (each, each) }

    /// Begins the next turn.
    func begin() { left = each }

    /// Notes a step.
    ///
    /// - Parameter left: the work that it has left.
    func use(leaving left: Work) {
        self.left = left
        excess = max(excess, .zero - left)
    }
}
