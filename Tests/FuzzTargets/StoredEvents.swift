import StoryCore
import StoryLog
import StoryStorage
import TestSupport

/// Events as a log keeps them, for targets that read what is stored.
final class StoredEvents {
    private let salts = Salts()

    /// The records of events that follow one another, behind those that are stored already.
    func memory(_ events: [Event], after stored: Position) -> JournalMemory {
        var memory = JournalMemory(after: stored)
        for event in events {
            event.json.withBytes { json in
                let record = RecordWriter(event.header(jsonCount: json.count), json)
                let block = memory.block(for: event.position.value, record.count)
                record.write(json, salts, to: block.target)
                block.added(record.count)
            }
        }
        return memory
    }

    /// The seal of a block's last record; nil where a record has lengths that do not fit.
    func seal(of run: RecordRun) -> Seal? {
        try? SealChain.seal(of: run, after: StoredEvents.first)
    }

    /// Writes a block, and returns its seal.
    func write(_ section: BlockSection, to target: UnsafeMutableRawPointer) -> Seal {
        do throws(StorageError) {
            return try section.write(to: target, after: StoredEvents.first)
        } catch { fatalError("what was appended is a block: \(error)") }
    }

    private static let first = Seal(bytes: [UInt8](repeating: 7, count: 32))
}

extension FuzzInput {
    /// Events of one stream from a position on; what they say is any bytes.
    mutating func events(_ count: Int, from first: UInt64) -> [Event] {
        (0..<UInt64(count)).map { index in
            let (shape, length) = (byte(), Int(byte()))
            let position = Position(first + index)
            return Event(
                position: position, stream: "note-1".stream, streamNumber: StreamNumber(UInt64(shape)),
                version: Version(index + 1), time: Instant(milliseconds: Int64(index)), by: UInt32(shape),
                key: shape & 1 == 0 ? nil : "k\(index)".key, tags: shape & 2 == 0 ? nil : #"["a","b"]"#.view,
                meta: shape & 4 == 0 ? nil : "{}".view,
                body: .custom("Noted".type, data: ([0x22] + Array(take(length)) + [0x22]).view))
        }
    }
}
