/// The ID of a history: 1–64 bytes of the alphabet, 32 hexadecimal digits where this store made it.
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

    package var description: String { Alphabet.text(bytes) }
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
