package import StoryCore

/// A worker's cursor as the models have it.
///
/// A stored one is `at 6 · position of the event that defined it 6 · number of parked events 4 · number of those that are
/// delivered again 4 · length of the log's ID 1 · that ID · data of the event that defined it`; numbers are big-endian.
package struct StoredCursor: Equatable, Sendable {
    /// The position that every event through it is done, parked or discarded at.
    package internal(set) var at: Position
    /// The position of the newest event that defined it.
    package internal(set) var definedAt: Position
    /// The number of events that are parked.
    package internal(set) var parked: UInt32
    /// The number of parked events that are to be delivered again.
    package internal(set) var retried: UInt32
    /// The history that its holder knows.
    package internal(set) var log: LogID
    /// The data of the event that defined it.
    var data: [UInt8]

    static let headCount = 21

    init(at: Position, definedAt: Position, log: LogID, data: [UInt8]) {
        (self.at, self.definedAt, parked, retried) = (at, definedAt, 0, 0)
        (self.log, self.data) = (log, data)
    }

    /// Reads a stored cursor; nil where the bytes are none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= StoredCursor.headCount else { return nil }
        at = Position(bytes.sixByteNumber(at: 0))
        definedAt = Position(bytes.sixByteNumber(at: 6))
        parked = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        retried = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        let count = Int(bytes[20])
        guard bytes.count >= StoredCursor.headCount + count,
            let log = LogID(bytes.slice(StoredCursor.headCount, count: count))
        else { return nil }
        self.log = log
        let start = StoredCursor.headCount + count
        data = [UInt8](bytes.slice(start, count: bytes.count - start))
    }

    /// Writes the stored form, in place of the content of a buffer.
    func write(to buffer: inout KeyBuffer) {
        buffer.clear()
        buffer.add48(at.value)
        buffer.add48(definedAt.value)
        withUnsafeBytes(of: parked.bigEndian) { buffer.add($0) }
        withUnsafeBytes(of: retried.bigEndian) { buffer.add($0) }
        buffer.add(UInt8(truncatingIfNeeded: log.bytes.count))
        log.bytes.withUnsafeBytes { buffer.add($0) }
        data.withUnsafeBytes { buffer.add($0) }
    }

    /// Returns the definition.
    ///
    /// - Throws: `.corrupt` where it cannot be read.
    package func definition(_ json: any JSONReading) throws(StorageError) -> CursorDefinition {
        guard let read = CursorDefined(data, json) else {
            throw .corrupt("the stored definition of a cursor is damaged", at: definedAt)
        }
        return read.definition
    }
}

/// An event that was set aside, as the models have it.
///
/// A stored one is `position of the event that parked it 6 · number of deliveries 1 · 1 where it is delivered again 1 ·
/// error`; its key is the cursor's name, a zero byte, and the position of the event.
package struct StoredParked: Equatable, Sendable {
    /// The position of the event.
    package let event: Position
    /// The position of the event that parked it.
    package let since: Position
    /// The number of its deliveries.
    package let attempts: UInt8
    /// True where it is to be delivered again.
    package internal(set) var isRetried: Bool
    /// The last error that a worker told; empty where it told none.
    package let error: [UInt8]

    init(_ parked: ParkedEvent, since: Position) {
        (event, self.since, isRetried) = (parked.event, since, false)
        attempts = UInt8(clamping: parked.attempts)
        error = parked.error.map { [UInt8]($0.spelling) } ?? []
    }

    init?(at event: Position, _ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 else { return nil }
        (self.event, since) = (event, Position(bytes.sixByteNumber(at: 0)))
        (attempts, isRetried) = (bytes[6], bytes[7] != 0)
        error = [UInt8](bytes.slice(8, count: bytes.count - 8))
    }

    func write(to buffer: inout KeyBuffer) {
        buffer.clear()
        buffer.add48(since.value)
        buffer.add(attempts)
        buffer.add(isRetried ? 1 : 0)
        error.withUnsafeBytes { buffer.add($0) }
    }
}
