package import StoryCore

/// The head of an entry: one commit of the log in the ordering service, without its records.
///
/// `layout 1 · format 1 · 0 2 · count 4 · first 8 · term 8 · proof of the record before the first 8 · bytes of all
/// records 8 · parts 4 · XXH3-128 of the records 16`, all numbers with their lowest byte first. Then come the records,
/// where there are no parts.
package struct EntryHead: Equatable, Sendable {
    /// The size of the head, in bytes.
    package static let size = 60
    /// The layout of the head that this program reads.
    package static let layout: UInt8 = 1
    /// The size of a part, in bytes; larger entries are put into the ordering service in parts.
    package static let bytesOfPart = 256 << 10
    /// The largest size of an entry's records, in bytes.
    package static let mostBytes = 256 << 20

    /// The position of the first event.
    package var first: Position
    /// The number of events, at least one.
    package var count: Int
    /// The first 8 bytes of the hash of what the record before the first adds to its seal, in an older format its
    /// checksum; 0 for the first record of all.
    package var previous: UInt64
    /// The size of all records, in bytes.
    package var bytes: Int
    /// XXH3-128 of the records.
    package var digest: Digest
    /// The format of the records.
    package var format: UInt8

    /// A digest of 16 bytes.
    package struct Digest: Equatable, Sendable {
        package var low: UInt64
        package var high: UInt64

        /// Creates a digest.
        package init(low: UInt64, high: UInt64) {
            self.low = low
            self.high = high
        }
    }

    /// Creates a head.
    package init(
        first: Position, count: Int, previous: UInt64, bytes: Int, digest: Digest,
        format: UInt8 = RecordFormats.own.newest
    ) {
        self.first = first
        self.count = count
        self.previous = previous
        self.bytes = bytes
        self.digest = digest
        self.format = format
    }

    /// The position of the last event.
    package var last: Position { Position(first.value + UInt64(count) - 1) }

    /// The number of parts that the records are put in; 0 where they follow the head.
    package var parts: Int {
        bytes <= EntryHead.bytesOfPart ? 0 : (bytes + EntryHead.bytesOfPart - 1) / EntryHead.bytesOfPart
    }
}

extension EntryHead {
    /// Returns the value of the entry in the ordering service.
    package func value(term: Term, records: [UInt8]) -> [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(EntryHead.size + (parts == 0 ? records.count : 0))
        value += [EntryHead.layout, format, 0, 0]
        value.append(littleEndian: UInt32(count))
        value.append(littleEndian: first.value)
        value.append(littleEndian: term.revision)
        value.append(littleEndian: previous)
        value.append(littleEndian: UInt64(bytes))
        value.append(littleEndian: UInt32(parts))
        value.append(littleEndian: digest.low)
        value.append(littleEndian: digest.high)
        if parts == 0 { value += records }
        return value
    }

    /// Reads the value of an entry, whose records are of one of the formats.
    ///
    /// - Returns: the head, the term that wrote it, and the records; nil where those are in parts.
    /// - Throws: `.unreadable` for anything that is no entry of these formats.
    package static func read(
        _ value: [UInt8], of formats: RecordFormats = .own
    ) throws(ClusterError) -> (EntryHead, Term, [UInt8]?) {
        guard value.count >= size else { throw .unreadable("an entry of \(value.count) bytes") }
        guard value[0] == layout else {
            throw .unreadable(
                "an entry is of layout \(value[0]), and this program reads \(layout): upgrade this node")
        }
        guard formats.reads(value[1]) else { throw .otherFormat("an entry", "\(value[1])", reading: formats) }
        let count = value.number(at: 4, as: UInt32.self)
        let first = value.number(at: 8, as: UInt64.self)
        let bytes = value.number(at: 32, as: UInt64.self)
        guard Position.isRun(first, Int(count)), bytes <= UInt64(mostBytes) else {
            throw .unreadable("an entry of \(count) events from \(first), of \(bytes) bytes")
        }
        let head = EntryHead(
            first: Position(first), count: Int(count), previous: value.number(at: 24, as: UInt64.self),
            bytes: Int(bytes),
            digest: Digest(low: value.number(at: 44, as: UInt64.self), high: value.number(at: 52, as: UInt64.self)),
            format: value[1])
        let term = Term(value.number(at: 16, as: Int64.self))
        guard head.parts == Int(value.number(at: 40, as: UInt32.self)) else {
            throw .unreadable("an entry of \(bytes) bytes in another number of parts")
        }
        guard head.parts == 0 else { return (head, term, nil) }
        guard value.count == size + head.bytes else { throw .unreadable("an entry of \(value.count) bytes") }
        return (head, term, Array(value[size...]))
    }
}

/// An entry that came from the ordering service.
package struct Entry: Equatable, Sendable {
    package let head: EntryHead
    package let term: Term
    /// The records as the log has them, one behind the other.
    package let records: [UInt8]

    /// Creates an entry.
    package init(_ head: EntryHead, _ term: Term, records: [UInt8]) {
        self.head = head
        self.term = term
        self.records = records
    }
}
