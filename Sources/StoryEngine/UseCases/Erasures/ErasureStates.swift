package import StoryCore

/// The erasures that are under way in the store's directory, as requests see them.
package protocol ErasureStates: AnyObject {
    /// True while as many erasures are under way as may be.
    var isFull: Bool { get }
    /// Returns true while an erasure is carried out, by the position of its event `Erased`.
    func isUnderWay(_ eraser: Position) -> Bool
    /// Returns the nodes, and `etcd`, that may have the content of an erasure yet, by the position of its event `Erased`; nil
    /// for a store of its own.
    func waiting(for eraser: Position) -> [String]?
    /// The nodes whose programs cannot follow erased events.
    var olderNodes: [String] { get }
}
