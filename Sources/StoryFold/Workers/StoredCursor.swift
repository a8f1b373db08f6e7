import CXXHash
package import StoryCore

/// A worker's cursor as the models have it.
///
/// A stored one is `position of the event that defined it 6 · length of the log's ID 1 · number of shares 1 · that ID`, then for
/// each share `at 6 · number of parked events 4 · number of those that are delivered again 4`, then the data of the event
/// that defined it; numbers are big-endian. One that was dropped has no shares.
package struct StoredCursor: Equatable, Sendable {
    /// A share: its position, and the numbers of its parked events.
    package struct Share: Equatable, Sendable {
        /// The position that every event of the share through it is done, parked or discarded at.
        package internal(set) var at: Position
        /// The number of its events that are parked.
        package internal(set) var parked: UInt32 = 0
        /// The number of parked events that are to be delivered again.
        package internal(set) var retried: UInt32 = 0

        static let byteCount = 14
    }

    /// The position of the newest event that defined it.
    package internal(set) var definedAt: Position
    /// The history that its holders know.
    package internal(set) var log: LogID
    /// The shares, from the first on; none where the cursor was dropped.
    package internal(set) var shares: [Share]
    /// The data of the event that defined it.
    var data: [UInt8]

    private static let headCount = 8

    init(at: Position, definedAt: Position, shareCount: Int, log: LogID, data: [UInt8]) {
        (self.definedAt, self.log, self.data) = (definedAt, log, data)
        shares = Array(repeating: Share(at: at), count: shareCount)
    }

    /// True where it was dropped.
    package var isDropped: Bool { shares.isEmpty }
    /// The number of events that are parked.
    package var parked: Int { shares.reduce(0) { $0 + Int($1.parked) } }
    /// The last position that a share is done through.
    package var furthest: Position { shares.reduce(.zero) { max($0, $1.at) } }
    /// The first position that a share is done through.
    package var nearest: Position { shares.map(\.at).min() ?? .zero }

    /// Returns a share by its number; nil where there is none.
    package func share(_ number: UInt8?) -> Share? {
        guard let number, shares.indices.contains(Int(number) - 1) else { return nil }
        return shares[Int(number) - 1]
    }

    /// Changes the numbers of a share, and moves it on to a position.
    mutating func change(_ number: UInt8, parked: Int32 = 0, retried: Int32 = 0, through position: Position = .zero) {
        guard share(number) != nil else { return }
        let index = Int(number) - 1
        shares[index].parked &+= UInt32(bitPattern: parked)
        shares[index].retried &+= UInt32(bitPattern: retried)
        shares[index].at = max(shares[index].at, position)
    }

    /// Reads a stored cursor; nil where the bytes are none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= StoredCursor.headCount else { return nil }
        definedAt = Position(bytes.sixByteNumber(at: 0))
        let (ofLog, count) = (Int(bytes[6]), Int(bytes[7]))
        let start = StoredCursor.headCount + ofLog
        let end = start + count * Share.byteCount
        guard bytes.count >= end, let log = LogID(bytes.slice(StoredCursor.headCount, count: ofLog)) else { return nil }
        self.log = log
        shares = (0..<count).map { StoredCursor.share(in: bytes, at: start + $0 * Share.byteCount) }
        data = [UInt8](bytes.slice(end, count: bytes.count - end))
    }

    private static func share(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Share {
        Share(
            at: Position(bytes.sixByteNumber(at: offset)),
            parked: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 6, as: UInt32.self)),
            retried: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 10, as: UInt32.self)))
    }

    /// Reads a share of a stored cursor; nil where it has none with that number.
    static func share(_ number: UInt8, in bytes: UnsafeRawBufferPointer) -> Share? {
        offset(of: number, in: bytes).map { share(in: bytes, at: $0) }
    }

    private static func offset(of number: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headCount, number > 0, number <= bytes[7] else { return nil }
        let offset = headCount + Int(bytes[6]) + (Int(number) - 1) * Share.byteCount
        return bytes.count >= offset + Share.byteCount ? offset : nil
    }

    /// Writes a stored cursor with a share moved to a position, in place of the content of a buffer.
    static func move(
        _ number: UInt8, to position: Position, in bytes: UnsafeRawBufferPointer, to buffer: inout KeyBuffer
    ) {
        guard let offset = offset(of: number, in: bytes) else { return }
        buffer.clear()
        buffer.add(bytes.slice(0, count: offset))
        buffer.add48(position.value)
        buffer.add(bytes.slice(offset + 6, count: bytes.count - offset - 6))
    }

    /// Writes the stored form, in place of the content of a buffer.
    func write(to buffer: inout KeyBuffer) {
        buffer.clear()
        buffer.add48(definedAt.value)
        buffer.add(UInt8(truncatingIfNeeded: log.bytes.count))
        buffer.add(UInt8(truncatingIfNeeded: shares.count))
        log.bytes.withUnsafeBytes { buffer.add($0) }
        for share in shares {
            buffer.add48(share.at.value)
            withUnsafeBytes(of: share.parked.bigEndian) { buffer.add($0) }
            withUnsafeBytes(of: share.retried.bigEndian) { buffer.add($0) }
        }
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
/// number of the share 1 · error`; its key is the cursor's name, a zero byte, and the position of the event.
package struct StoredParked: Equatable, Sendable {
    /// The position of the event.
    package let event: Position
    /// The position of the event that parked it.
    package let since: Position
    /// The number of the share, from 1.
    package let share: UInt8
    /// The number of its deliveries.
    package let attempts: UInt8
    /// True where it is to be delivered again.
    package internal(set) var isRetried: Bool
    /// The last error that a worker told; empty where it told none.
    package let error: [UInt8]

    init(_ parked: ParkedEvent, since: Position) {
        (event, share, self.since, isRetried) = (parked.event, parked.share, since, false)
        attempts = UInt8(clamping: parked.attempts)
        error = parked.error.map { [UInt8]($0.spelling) } ?? []
    }

    init?(at event: Position, _ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 9 else { return nil }
        (self.event, since) = (event, Position(bytes.sixByteNumber(at: 0)))
        (attempts, isRetried, share) = (bytes[6], bytes[7] != 0, bytes[8])
        error = [UInt8](bytes.slice(9, count: bytes.count - 9))
    }

    func write(to buffer: inout KeyBuffer) {
        buffer.clear()
        buffer.add48(since.value)
        buffer.add(attempts)
        buffer.add(isRetried ? 1 : 0)
        buffer.add(share)
        error.withUnsafeBytes { buffer.add($0) }
    }
}

extension CursorShare {
    /// Returns the number of the share that a stream's events are of, from 1: XXH3-64 of the stream's name, modulo the number
    /// of shares, plus 1.
    package static func number(of stream: UnsafeRawBufferPointer, among shareCount: Int) -> UInt8 {
        guard shareCount > 1 else { return 1 }
        return UInt8(truncatingIfNeeded: xxhi_64(stream.baseAddress, stream.count, 0) % UInt64(shareCount)) + 1
    }
}
