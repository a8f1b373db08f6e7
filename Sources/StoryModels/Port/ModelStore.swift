package import StoryCore

/// The folded tables, each an ordered map from bytes to bytes.
package protocol ModelStore: AnyObject {
    /// The bytes at a key; nil when there are none.
    func value(in table: Table, at key: [UInt8]) -> [UInt8]?
    /// Puts bytes at a key, whatever was there.
    func put(_ value: [UInt8], in table: Table, at key: [UInt8])
    /// Removes a key, which need not be there.
    func remove(in table: Table, at key: [UInt8])
    /// Changes a kept count, six bytes; a count that comes to zero is not kept, so that counts are a function of what
    /// they count.
    func add(_ change: Int64, in table: Table, at key: [UInt8])
    /// Makes a value longer by these bytes; one that is not there begins with them.
    func append(_ bytes: [UInt8], in table: Table, at key: [UInt8])
    /// Visits the entries of a range in order until `visit` answers false.
    func scan(
        _ table: Table, _ range: KeyRange, _ order: Order, _ visit: (_ key: [UInt8], _ value: [UInt8]) -> Bool)
    /// As `value`, lending the bytes where they lie: they die when `body` returns. False when there are none.
    @discardableResult
    func lend(_ table: Table, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool
    /// As `scan`, lending the bytes where they lie: they die when `visit` returns.
    func walk(
        _ table: Table, _ range: KeyRange, _ order: Order,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool)
}

extension ModelStore {
    @discardableResult
    package func lend(
        _ table: Table, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard let value = value(in: table, at: Array(key)) else { return false }
        value.withUnsafeBytes(body)
        return true
    }

    package func walk(
        _ table: Table, _ range: KeyRange, _ order: Order,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        scan(table, range, order) { key, value in
            key.withUnsafeBytes { key in value.withUnsafeBytes { visit(key, $0) } }
        }
    }
}

/// The keys from `lower` on, before `upper`; nil: without end.
package struct KeyRange: Equatable, Sendable {
    package var lower: [UInt8]
    package var upper: [UInt8]?

    package init(lower: [UInt8] = [], upper: [UInt8]? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key that begins with these bytes.
    package init(prefix: [UInt8]) { self.init(lower: prefix, upper: KeyRange.end(of: prefix)) }

    /// The first key after all that begin with these bytes; nil where there is none.
    package static func end(of prefix: [UInt8]) -> [UInt8]? {
        var bytes = prefix
        while let last = bytes.popLast() {
            if last < 0xFF {
                bytes.append(last + 1)
                return bytes
            }
        }
        return nil
    }
}
