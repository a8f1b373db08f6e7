/// The ID of a history: 1–64 bytes of the alphabet, 32 hexadecimal digits where this store made it.
@usableFromInline
package struct LogID: Hashable, Sendable, CustomStringConvertible {
    /// The length of an ID, in bytes.
    package static let length = 1...64

    /// The bytes of the ID.
    package let bytes: [UInt8]

    /// Creates an ID; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: LogID.length) else { return nil }
        self.bytes = Array(bytes)
    }

    /// Creates an ID from bytes that the caller has checked.
    package init(trusted bytes: [UInt8]) { self.bytes = bytes }

    /// Creates the hexadecimal form of a log's own binary ID.
    package init(binary: [UInt8]) { bytes = binary.hexadecimal }

    @usableFromInline package var description: String { Alphabet.text(bytes) }
}

/// The identity of a log's history, and of those that it was copied from.
package struct HistoryIdentity<ID: Hashable & Sendable>: Equatable, Sendable {
    /// A history that this one was copied from.
    package struct Ancestor: Equatable, Sendable {
        /// The ID of the ancestor.
        package let id: ID
        /// The last position that both have.
        package let position: Position

        /// Creates an ancestor.
        package init(id: ID, position: Position) {
            self.id = id
            self.position = position
        }
    }

    /// The ID of the history.
    package let id: ID
    /// The histories that this one was copied from, the newest first.
    package let ancestors: [Ancestor]

    /// Creates an identity.
    package init(id: ID, ancestors: [Ancestor] = []) {
        self.id = id
        self.ancestors = ancestors
    }
}

/// The identity with the IDs that clients know.
package typealias LogIdentity = HistoryIdentity<LogID>

extension LogIdentity {
    /// Refuses a reader that names a history with which this one does not share everything before `next`.
    ///
    /// - Parameters:
    ///   - named: the history that the reader knows; nil where it names none.
    ///   - next: the first position to read; the reader may have everything before it.
    /// - Throws: a failure with the code `diverged`.
    package func check(_ named: LogID?, next: Position) throws(Failure) {
        guard let named, named != id else { return }
        guard let ancestor = ancestors.first(where: { $0.id == named }) else {
            throw Failure(
                .diverged, "this log is \(id), and knows of no log \(named)", .log(id, position: nil))
        }
        guard next.previous <= ancestor.position else {
            let message = "this log is \(id): it and \(named) are the same up to position \(ancestor.position.value)"
            throw Failure(.diverged, message, .log(id, position: ancestor.position))
        }
    }
}

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
