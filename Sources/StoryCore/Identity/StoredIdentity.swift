/// The identity as it is stored in the header of a log: its IDs are 16 random bytes.
package typealias StoredIdentity = HistoryIdentity<[UInt8]>

extension StoredIdentity {
    /// The maximum number of ancestors; beyond it, the oldest but the first are forgotten.
    package static var mostAncestors: Int { 64 }

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

    /// Returns the 16 bytes of an ID that 32 hexadecimal digits spell; nil for any other text.
    package static func id(_ text: some Collection<UInt8>) -> [UInt8]? {
        let digits = text.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map { UInt8($0) } }
        guard digits.count == 32, text.count == 32 else { return nil }
        return stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The same identity with the IDs that clients know.
    package var named: LogIdentity {
        LogIdentity(
            id: LogID(binary: id),
            ancestors: ancestors.map { LogIdentity.Ancestor(id: LogID(binary: $0.id), position: $0.position) })
    }
}
