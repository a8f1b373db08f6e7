import StoryCore
import StoryLog

/// The sorting of a log's events by stream: several threads read a part of the log each, and of a record only the
/// fields that it is sorted by.
final class LogSorting: Sendable {
    /// The number of positions in one piece of work.
    private static let piece: UInt64 = 16_384

    /// The events of one piece that must be handled in order, after all pieces are read.
    struct Leftover: Sendable {
        /// Events that are not the first of their stream.
        var later: [(position: UInt32, stream: UInt64)] = []
        /// Positions of events with a key.
        var keyed: [UInt32] = []
        /// Positions of events that move a cursor.
        var moving: [UInt32] = []
    }

    let chains: EventChains
    private let workers: [SortingWorker]
    private let leftovers: Slots<Leftover>

    private init(_ chains: EventChains, _ workers: [SortingWorker], _ leftovers: Slots<Leftover>) {
        self.chains = chains
        self.workers = workers
        self.leftovers = leftovers
    }

    /// Reads and sorts a log; nil when it has anything unusual, and must be folded in order.
    static func sort(_ log: LMDBEventLog, through: Position, by pool: ThreadPool) throws(StorageError) -> LogSorting? {
        guard through > .zero, through <= EventChains.maxPosition, let chains = EventChains(through: through)
        else { return nil }
        var workers: [SortingWorker] = []
        for _ in 0..<pool.count { workers.append(SortingWorker(try LogView(log, keepsMasked: true))) }
        let pieces = Int((through.value + piece - 1) / piece)
        let leftovers = Slots<Leftover>(pieces, Leftover())
        let sorting = LogSorting(chains, workers, leftovers)
        let isUsual = pool.share(pieces) { member, index in sorting.read(index, at: member) }
        guard isUsual, sorting.chainAll() else { return nil }
        return sorting
    }

    /// Returns the categories in the order of their first events, and for each member of the pool the numbers of those
    /// it met.
    func categories() -> (names: [CategoryName], numbers: [[UInt64]]) {
        var first: [CategoryName: UInt64] = [:]
        for worker in workers {
            for entry in worker.categories { first[entry.name] = min(first[entry.name] ?? .max, entry.first) }
        }
        let names = first.sorted { $0.value < $1.value }.map(\.key)
        let numbers = Dictionary(uniqueKeysWithValues: zip(names, 1...UInt64(max(names.count, 1))))
        return (names, workers.map { worker in worker.categories.map { numbers[$0.name] ?? 0 } })
    }

    /// Visits the positions of the events with a key, in order.
    func visitKeyed(_ visit: (UInt64) -> Void) {
        for index in 0..<leftovers.count { for position in leftovers[index].keyed { visit(UInt64(position)) } }
    }

    /// The positions of the events that move a cursor, in order.
    var moving: [Position] {
        (0..<leftovers.count).flatMap { leftovers[$0].moving.map { Position(UInt64($0)) } }
    }

    /// Closes the views of the log; the records are valid until then.
    func close() { for worker in workers { worker.view.close() } }

    private func read(_ index: Int, at member: Int) -> Bool {
        let first = UInt64(index) * LogSorting.piece + 1
        let last = min(first + LogSorting.piece - 1, chains.through.value)
        var leftover = Leftover()
        var isUsual = true
        do throws(StorageError) {
            let worker = workers[member]
            try worker.view.scan(from: Position(first), through: Position(last)) { position, record in
                let fields = record.sortFields
                chains.put(record, at: position)
                if fields.hasCursor { leftover.moving.append(UInt32(truncatingIfNeeded: position.value)) }
                if fields.hasKey { leftover.keyed.append(UInt32(truncatingIfNeeded: position.value)) }
                guard fields.version == 1 else {
                    leftover.later.append((UInt32(truncatingIfNeeded: position.value), fields.stream))
                    return true
                }
                isUsual =
                    record.streamName(at: position).flatMap { worker.category(of: $0, first: position.value) }
                    .map { chains.begin(fields.stream, at: position, category: UInt32(member) << 24 | $0) } ?? false
                return isUsual
            }
        } catch {
            return false
        }
        leftovers[index] = leftover
        return isUsual
    }

    private func chainAll() -> Bool {
        for index in 0..<leftovers.count {
            for event in leftovers[index].later {
                guard chains.chain(event.position, to: event.stream) else { return false }
            }
        }
        return true
    }
}

/// One thread's view of the log, and the categories that the thread met.
///
/// Unchecked `Sendable`: it belongs to one thread at a time.
private final class SortingWorker: @unchecked Sendable {
    private static let maxCount = 1 << 20

    /// A category that a thread met, and the position of the first event that it met there.
    typealias Category = (name: CategoryName, bytes: UnsafeRawBufferPointer, first: UInt64)

    let view: LogView
    private(set) var categories: [Category] = []

    init(_ view: LogView) { self.view = view }

    /// Returns this worker's number of a stream's category; nil when the name has none, or there are too many.
    func category(of stream: UnsafeRawBufferPointer, first: UInt64) -> UInt32? {
        for index in categories.indices.reversed() {
            if stream.isStream(of: categories[index].bytes) { return UInt32(index) }
        }
        return meet(stream, first)
    }

    private func meet(_ stream: UnsafeRawBufferPointer, _ first: UInt64) -> UInt32? {
        guard let dash = stream.firstIndex(of: 0x2D), dash > 0, categories.count < SortingWorker.maxCount else {
            return nil
        }
        let bytes = UnsafeRawBufferPointer(rebasing: stream[..<dash])
        categories.append((CategoryName(trusted: Array(bytes)), bytes, first))
        return UInt32(categories.count - 1)
    }
}

/// An array with one slot for each piece of work; no two pieces share a slot.
///
/// Unchecked `Sendable`: a slot belongs to the thread that has its piece, and is read when all pieces are done.
final class Slots<Element: Sendable>: @unchecked Sendable {
    let count: Int
    private let elements: UnsafeMutablePointer<Element>

    init(_ count: Int, _ element: Element) {
        self.count = count
        elements = .allocate(capacity: max(count, 1))
        elements.initialize(repeating: element, count: count)
    }

    deinit {
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    subscript(index: Int) -> Element {
        get { elements[index] }
        set { elements[index] = newValue }
    }
}
