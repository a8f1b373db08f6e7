import StoryStorage
package import StoryCore

/// Which history a log holds, and where it comes from.
package struct LogIdentity: Equatable, Sendable {
    /// A log that this one was copied from.
    package struct Ancestor: Equatable, Sendable {
        package let id: [UInt8]
        /// The last position that both have.
        package let position: Position

        package init(id: [UInt8], position: Position) {
            self.id = id
            self.position = position
        }
    }

    /// With more, those between the newest and the first are forgotten.
    package static let mostAncestors = 64

    /// 16 random bytes that tell this log from every other one.
    package let id: [UInt8]
    /// The newest first.
    package let ancestors: [Ancestor]

    package init(id: [UInt8], ancestors: [Ancestor] = []) {
        self.id = id
        self.ancestors = ancestors
    }

    /// The ID of the log that the history began in: the chain of seals begins with it.
    package var root: [UInt8] { ancestors.last?.id ?? id }

    /// The identity of a copy that ends at a position.
    package func copy(id: [UInt8], at position: Position) -> LogIdentity {
        let parents = [Ancestor(id: self.id, position: position)] + ancestors
        guard parents.count > LogIdentity.mostAncestors else { return LogIdentity(id: id, ancestors: parents) }
        // The first one stays: the seals begin with it.
        return LogIdentity(id: id, ancestors: parents.prefix(LogIdentity.mostAncestors - 1) + parents.suffix(1))
    }
}
