import Glibc
import StoryCore
import StoryLog
import StoryModels
import StoryWire
import Synchronization

/// One of the threads that fold a sorted log.
///
/// Unchecked: all but the count belongs to one thread at a time.
final class Hand: @unchecked Sendable {
    let digests = StreamDigests()
    let keys = MemoryModelStore()
    private let chains: EventChains
    /// The numbers of the categories that each thread met while sorting.
    private let categories: [[UInt64]]
    private let share: (number: Int, of: Int)
    /// Nil only while it is at work.
    private var projector: StreamProjector?
    private let decoder = LendingDecoder()
    private let count = Atomic<UInt64>(0)
    /// How many streams it has folded.
    private(set) var streams: UInt64 = 0

    init(_ chains: EventChains, _ categories: [[UInt64]], _ number: Int, of hands: Int) {
        self.chains = chains
        self.categories = categories
        share = (number, hands)
        projector = StreamProjector(digests)
    }

    /// How many events it has folded.
    var folded: UInt64 { count.load(ordering: .relaxed) }

    /// Folds some streams; false when an event is not what it has to be.
    func fold(_ numbers: ClosedRange<Int>) -> Bool {
        guard var projector = projector.take() else { return false }
        var events: UInt64 = 0
        for number in numbers {
            chains.prefetch(UInt64(number) + 4)
            guard let stream = chains.stream(UInt64(number)) else { continue }
            let category = categories[Int(stream.category >> 24)][Int(stream.category & 0xFF_FFFF)]
            do throws(StorageError) {
                guard let folded = try fold(StreamNumber(UInt64(number)), from: stream.first, category, &projector)
                else {
                    return false
                }
                events += folded
                streams += 1
            } catch {
                return false
            }
        }
        self.projector = consume projector
        count.add(events, ordering: .relaxed)
        return true
    }

    /// Folds its part of the request keys, in the order of their events.
    func foldKeys(_ sorting: LogSorting) -> Bool {
        var isUsual = true
        sorting.visitKeyed { position in
            guard let record = try? chains.event(position).record?.event(at: Position(position)),
                let range = record.key
            else { return isUsual = false }
            let bytes = record.json[range]
            guard bytes.reduce(0, { $0 + Int($1) }) % share.of == share.number else { return }
            KeysModel.fold(RequestKey(trusted: Array(bytes)), at: Position(position), in: keys)
        }
        return isUsual
    }

    private static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count, let first = one.baseAddress, let second = other.baseAddress
        else { return false }
        return memcmp(first, second, one.count) == 0
    }

    /// How many events the stream has; nil when they are not its versions 1, 2, 3 …
    private func fold(
        _ number: StreamNumber, from first: UInt64, _ category: UInt64, _ projector: inout StreamProjector
    ) throws(StorageError) -> UInt64? {
        var position = first
        var version: UInt64 = 0
        var name: UnsafeRawBufferPointer?
        var id = BorrowedBytes(UnsafeRawBufferPointer(start: nil, count: 0))
        var kind: Kind?
        while true {
            let (stored, next) = chains.event(position)
            guard let record = try stored?.event(at: Position(position)) else { return nil }
            let stream = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
            version += 1
            guard record.streamNumber == number, record.version.value == version else { return nil }
            if let name {
                guard Hand.areEqual(name, stream) else { return nil }
            } else {
                name = stream
                id = LendingDecoder.id(of: stream)
                kind = LendingDecoder.kind(of: stream)
            }
            let event = LentEvent(
                position: record.position, streamNumber: number, version: record.version, time: record.time, id: id)
            projector.fold(event, decoder.decode(record, kind))
            chains.leave(category, at: position)
            guard next > 0 else { break }
            position = next
        }
        let head = StreamsModel.Head(number: number, version: Version(version), position: Position(position))
        projector.end(BorrowedBytes(name ?? UnsafeRawBufferPointer(start: nil, count: 0)), head)
        digests.streamEnded()
        decoder.release()
        return version
    }
}
