/// A record of the log: the event's metadata, and its JSON in the form that goes out on the wire.
///
/// The bytes belong to the log: a record is valid until the closure that receives it returns.
@usableFromInline
package struct EventRecord {
    /// The position in the log.
    @usableFromInline package let position: Position
    /// The number of the stream.
    @usableFromInline package let streamNumber: StreamNumber
    /// The version of the stream after the event.
    @usableFromInline package let version: Version
    /// The time of the commit.
    @usableFromInline package let time: Instant
    /// The uid of the process that wrote it.
    @usableFromInline package let by: UInt32
    /// The position of the event that erased the content; nil for a whole event.
    @usableFromInline package let erased: Position?
    /// The JSON, without the LF; of an erased event the kept part, without the brace at the end.
    @usableFromInline package private(set) var json: UnsafeRawBufferPointer
    /// The offsets of the parts of `json`.
    @usableFromInline package let text: EventText

    /// Creates a record from its header, its JSON and the ranges of the parts.
    @inlinable
    @inline(__always)
    package init(_ header: EventHeader, _ text: EventText, _ json: UnsafeRawBufferPointer, erased: Position? = nil) {
        position = header.position
        streamNumber = header.streamNumber
        version = header.version
        time = header.time
        by = header.by
        self.erased = erased
        self.json = json
        self.text = text
    }

    /// Creates the same record with a copy of its JSON.
    package init(_ record: EventRecord, json: UnsafeRawBufferPointer) {
        self = record
        self.json = json
    }

    /// The range of the stream's name in `json`, without the quotes.
    @inlinable package var stream: Range<Int> { text.stream }
    /// The range of the type's name in `json`, without the quotes.
    @inlinable package var type: Range<Int> { text.type }
    /// The range of the key in `json`, without the quotes; nil where there is none.
    package var key: Range<Int>? { text.key }
    /// The range of the whole array of tags in `json`; nil where there is none.
    package var tags: Range<Int>? { text.tags }
    /// The range of the whole meta in `json`; nil where there is none.
    package var meta: Range<Int>? { text.meta }
    /// The range of the whole data in `json`; nil where it was erased.
    package var data: Range<Int>? { text.data }

    /// Returns true when the event is of one of the types; an empty list means all.
    package func isOfType(_ types: [EventType]) -> Bool {
        guard !types.isEmpty else { return true }
        let name = json.slice(type.lowerBound, count: type.count)
        return types.contains { $0.spelling.withUnsafeBytes { $0.equals(name) } }
    }
}

extension EventRecord {
    /// The name of its stream.
    package var streamName: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: json[stream]) }

    /// Its request key; nil where it has none.
    package var keyBytes: UnsafeRawBufferPointer? { key.map { UnsafeRawBufferPointer(rebasing: json[$0]) } }

    /// Calls `body` with the members of the event's data, which are valid during the call; returns nil when the data is
    /// no JSON object, or was erased.
    ///
    /// - Throws: the error of `body`.
    package func withData<Value, Failure: Error>(
        _ reader: any JSONReading, _ body: (UnsafeBufferPointer<JSONMember>) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard let data else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: json[data])
        let outcome = reader.withObject(text, readable: json.count - data.lowerBound) { members in
            Result { () throws(Failure) in try body(members) }
        }
        return try outcome?.get()
    }
}

extension EventMetadata {
    /// Creates the metadata of a record.
    package init(_ record: EventRecord) {
        self.init(
            position: record.position, streamNumber: record.streamNumber, version: record.version, time: record.time,
            by: record.by)
    }
}

/// Consecutive records as the log has them: whole, one behind the other.
package struct RawRecords: Equatable, Sendable {
    /// The position of the first one.
    package let first: Position
    /// The number of records.
    package private(set) var count: Int
    /// The bytes of all records.
    package private(set) var bytes: [UInt8]

    /// Creates records, by default none yet.
    package init(from first: Position, count: Int = 0, bytes: [UInt8] = []) {
        (self.first, self.count, self.bytes) = (first, count, bytes)
    }

    /// Adds the next record.
    package mutating func add(_ record: UnsafeRawBufferPointer) {
        count += 1
        bytes += record
    }
}

/// The tags of a record, one after the other, as views of its array.
package struct RecordTags: Sequence, IteratorProtocol {
    private let array: UnsafeRawBufferPointer
    /// The offset of the next tag in the array, in bytes.
    private var start = 2

    /// Views the tags of an array's text, which has no white space.
    package init(_ array: UnsafeRawBufferPointer) { self.array = array }

    /// Returns the next tag; nil at the end.
    package mutating func next() -> UnsafeRawBufferPointer? {
        guard start < array.count else { return nil }
        let rest = array.slice(start, count: array.count - start)
        guard let count = rest.offset(of: 0x22) else { return nil }
        // Behind it are `","`, or `"]` at the end.
        start += count + 3
        return rest.slice(0, count: count)
    }

    /// Returns true when one of the tags that were not visited yet has these bytes.
    package func contains(_ tag: UnsafeRawBufferPointer) -> Bool {
        var rest = self
        while let next = rest.next() { if next.equals(tag) { return true } }
        return false
    }
}

extension EventRecord {
    /// The tags; nil where there are none, or they were erased.
    package var tagList: RecordTags? { tags.map { RecordTags(json.slice($0.lowerBound, count: $0.count)) } }

    /// Returns true when the event has all of the tags; an empty list means any event.
    package func hasTags(_ wanted: [EventTag]) -> Bool {
        guard !wanted.isEmpty else { return true }
        guard let tagList else { return false }
        return wanted.allSatisfy { $0.spelling.withUnsafeBytes { tagList.contains($0) } }
    }
}
