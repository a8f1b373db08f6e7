import StoryCore
import StoryLog

/// The streams that the last commits appended to, so that those who follow other streams are not shown its events.
///
/// It is a filter: a bit for each name's hash. Whoever it lets through by chance finds nothing, and no harm is done.
/// It is filled when the first one asks.
final class AppendedStreams {
    private static let bits: UInt64 = 32_768

    /// The first position of the turn.
    private(set) var first = Position(1)
    private var through = Position.zero
    private var isFilled = false
    private var words = [UInt64](repeating: 0, count: Int(bits / 64))

    /// A turn committed everything up to here.
    func turnEnded(at head: Position) {
        first = through.next
        through = head
        isFilled = false
    }

    /// False when the turn has no event of the stream.
    func mayHold(_ stream: StreamName, _ log: any EventLog) -> Bool {
        if !isFilled { fill(log) }
        let bit = stream.spelling.withUnsafeBytes { AppendedStreams.bit($0) }
        return words[Int(bit / 64)] >> (bit % 64) & 1 == 1
    }

    private func fill(_ log: any EventLog) {
        isFilled = true
        for index in words.indices { words[index] = 0 }
        do throws(StorageError) {
            try log.scan(from: first, through: through, order: .ascending) { record in
                let bit = AppendedStreams.bit(UnsafeRawBufferPointer(rebasing: record.json[record.stream]))
                words[Int(bit / 64)] |= 1 << (bit % 64)
                return true
            }
        } catch {
            // Everyone looks for himself then, and meets the same failure.
            for index in words.indices { words[index] = .max }
        }
    }

    private static func bit(_ name: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (hash ^ hash >> 32) % bits
    }
}
