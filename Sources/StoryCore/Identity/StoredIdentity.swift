/// The identity of a log's history, and of those that it was copied from, as stored in its header.
package struct StoredIdentity: Equatable, Sendable {
    /// A log that this one was copied from.
    package struct Ancestor: Equatable, Sendable {
        /// The ID of the ancestor, 16 bytes.
        package let id: [UInt8]
        /// The last position that both have.
        package let position: Position

        /// Creates an ancestor.
        package init(id: [UInt8], position: Position) {
            self.id = id
            self.position = position
        }
    }

    /// The maximum number of ancestors; beyond it, the oldest but the first are forgotten.
    package static let mostAncestors = 64

    /// 16 random bytes that distinguish this log from every other one.
    package let id: [UInt8]
    /// The ancestors, the newest first.
    package let ancestors: [Ancestor]

    /// Creates an identity.
    package init(id: [UInt8], ancestors: [Ancestor] = []) {
        self.id = id
        self.ancestors = ancestors
    }

    /// The ID of the log that the history began in, which the chain of seals begins with.
    package var root: [UInt8] { ancestors.last?.id ?? id }

    /// Returns true when this log also has the events of another log through a position.
    package func holds(_ other: [UInt8], through position: Position) -> Bool {
        other == id || ancestors.contains { $0.id == other && position <= $0.position }
    }

    /// Returns the identity of a copy that ends at a position.
    package func copy(id: [UInt8], at position: Position) -> StoredIdentity {
        let parents = [Ancestor(id: self.id, position: position)] + ancestors
        guard parents.count > StoredIdentity.mostAncestors else { return StoredIdentity(id: id, ancestors: parents) }
        // The first one stays, since the seals begin with it.
        return StoredIdentity(id: id, ancestors: parents.prefix(StoredIdentity.mostAncestors - 1) + parents.suffix(1))
    }

    /// The same identity with the IDs that clients know.
    package var named: LogIdentity {
        LogIdentity(
            id: LogID(binary: id),
            ancestors: ancestors.map { LogIdentity.Ancestor(id: LogID(binary: $0.id), position: $0.position) })
    }
}
