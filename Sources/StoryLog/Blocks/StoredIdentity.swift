import StoryStorage
import StoryCore

/// Which history a log holds, and where it comes from, as its header has it.
struct StoredIdentity: Equatable, Sendable {
    /// A log that this one was copied from.
    struct Ancestor: Equatable, Sendable {
        let id: [UInt8]
        /// The last position that both have.
        let position: Position

        init(id: [UInt8], position: Position) {
            self.id = id
            self.position = position
        }
    }

    /// With more, those between the newest and the first are forgotten.
    static let mostAncestors = 64

    /// 16 random bytes that tell this log from every other one.
    let id: [UInt8]
    /// The newest first.
    let ancestors: [Ancestor]

    init(id: [UInt8], ancestors: [Ancestor] = []) {
        self.id = id
        self.ancestors = ancestors
    }

    /// The ID of the log that the history began in: the chain of seals begins with it.
    var root: [UInt8] { ancestors.last?.id ?? id }

    /// The identity of a copy that ends at a position.
    func copy(id: [UInt8], at position: Position) -> StoredIdentity {
        let parents = [Ancestor(id: self.id, position: position)] + ancestors
        guard parents.count > StoredIdentity.mostAncestors else { return StoredIdentity(id: id, ancestors: parents) }
        // The first one stays: the seals begin with it.
        return StoredIdentity(id: id, ancestors: parents.prefix(StoredIdentity.mostAncestors - 1) + parents.suffix(1))
    }

    /// The same by the names that clients know.
    var named: LogIdentity {
        LogIdentity(
            id: LogID(binary: id),
            ancestors: ancestors.map { LogIdentity.Ancestor(id: LogID(binary: $0.id), position: $0.position) })
    }
}
