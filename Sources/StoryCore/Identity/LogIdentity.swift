/// The name of a history: 1–64 bytes of the alphabet, 32 hexadecimal digits where this store made it.
package struct LogID: Hashable, Sendable, CustomStringConvertible {
    package static let length = 1...64

    package let bytes: [UInt8]

    /// Nil when the bytes do not spell such a name.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: LogID.length) else { return nil }
        self.bytes = Array(bytes)
    }

    /// Bytes that were checked by the caller.
    package init(trusted bytes: [UInt8]) { self.bytes = bytes }

    /// The digits of a log's own ID, which is binary.
    package init(binary: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes = binary.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    package var description: String { Alphabet.text(bytes) }
}

/// Which history a log is, and which ones it comes from.
package struct LogIdentity: Equatable, Sendable {
    /// A history that this one was copied from.
    package struct Ancestor: Equatable, Sendable {
        package let id: LogID
        /// The last position that both have.
        package let position: Position

        package init(id: LogID, position: Position) {
            self.id = id
            self.position = position
        }
    }

    package let id: LogID
    package let ancestors: [Ancestor]

    package init(id: LogID, ancestors: [Ancestor] = []) {
        self.id = id
        self.ancestors = ancestors
    }

    /// Refuses a reader that names a history with which this one does not share everything before `next`.
    ///
    /// - Parameters:
    ///   - named: the history that the reader knows; nil where it names none.
    ///   - next: where its reading begins: it may hold what stands before.
    /// - Throws: `diverged`.
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
