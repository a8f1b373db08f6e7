import COpenSSL
import StoryCore
import StoryLog

/// Erases parts of records as an erasure will, the slow and obvious way.
enum ErasedRecords {
    /// Replaces the content, and the labels if `hasNoLabels`, by their commitments.
    ///
    /// - Parameter eraser: the position of the event that erases them.
    static func erase(_ record: inout [UInt8], at position: UInt64, by eraser: UInt64, hasNoLabels: Bool) {
        let header = record.withUnsafeBytes { EventHeader($0, at: Position(position)) }
        guard let text = EventText(header) else { preconditionFailure("lengths that do not fit") }
        let start = record.count - header.jsonCount - Int(record[47])
        let labelZeros = text.labels.isEmpty ? 0 : max(0, 16 - text.labels.count)
        let jsonEnd = start + header.jsonCount
        func bytes(_ range: Range<Int>, _ zeros: Range<Int>, salt: Int) -> [Int] {
            Array(salt..<salt + 16) + range.map { start + $0 } + Array(zeros)
        }
        let content = bytes(text.content, jsonEnd + labelZeros..<record.count, salt: start - 16)
        let eraserBytes = (0..<6).map { UInt8(truncatingIfNeeded: eraser >> (8 * UInt64($0))) }
        replace(content, in: &record, textCount: text.content.count, eraserBytes)
        if hasNoLabels {
            let labels = bytes(text.labels, jsonEnd..<jsonEnd + labelZeros, salt: EventHeader.size)
            replace(labels, in: &record, textCount: text.labels.count, [])
        }
        record[8] = hasNoLabels ? 3 : 2
        check(&record, at: position)
    }

    /// Gives a record the checksum that fits it.
    static func check(_ record: inout [UInt8], at position: UInt64) {
        let checksum = record[8...].withUnsafeBytes { Checksum.of($0, position: position) }
        for index in 0..<8 { record[index] = UInt8(truncatingIfNeeded: checksum >> UInt64(8 * index)) }
    }

    /// Returns the SHA-256 of some bytes.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(bytes, bytes.count, &digest)
        return digest
    }

    private static func replace(_ area: [Int], in record: inout [UInt8], textCount: Int, _ rest: [UInt8]) {
        let left = hash(area.prefix(16 + textCount).map { record[$0] }) + rest
        for (number, index) in area.enumerated() { record[index] = number < left.count ? left[number] : 0 }
    }
}
