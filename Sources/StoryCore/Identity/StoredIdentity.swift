/// The history that a log holds, and those that it was copied from, as its header has them.
package struct StoredIdentity: Equatable, Sendable {
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

    /// True where the events of a log up to a position are this log's as well.
    package func holds(_ other: [UInt8], through position: Position) -> Bool {
        other == id || ancestors.contains { $0.id == other && position <= $0.position }
    }

    /// The identity of a copy that ends at a position.
    package func copy(id: [UInt8], at position: Position) -> StoredIdentity {
        let parents = [Ancestor(id: self.id, position: position)] + ancestors
        guard parents.count > StoredIdentity.mostAncestors else { return StoredIdentity(id: id, ancestors: parents) }
        // The first one stays: the seals begin with it.
        return StoredIdentity(id: id, ancestors: parents.prefix(StoredIdentity.mostAncestors - 1) + parents.suffix(1))
    }

    /// The same by the names that clients know.
    package var named: LogIdentity {
        LogIdentity(
            id: LogID(binary: id),
            ancestors: ancestors.map { LogIdentity.Ancestor(id: LogID(binary: $0.id), position: $0.position) })
    }
}
