import StoryCore

/// The entries that came from the ordering service and are not taken yet, in the order of the log.
struct Incoming: Equatable {
    /// The size of the entries above which none is asked for, in bytes.
    static let mostBytes = 4 << 20

    /// The outcome of accepting an entry.
    enum Acceptance: Equatable {
        case accepted
        /// The log has it already, or it was accepted before.
        case known
        /// Events before it are missing.
        case gap
    }

    /// An entry that waits; without records while parts of them are read.
    private struct Waiting: Equatable {
        let head: EntryHead
        let term: Term
        var records: [UInt8]?
    }

    /// The last position of the entries that were accepted.
    private(set) var reach: Position
    /// The position that the log is folded up to.
    private(set) var taken: Position
    private var queue: [Waiting] = []
    /// True while the first entry of the queue is with the shell.
    private var isTaking = false
    /// The parts of the first entry that are read so far, and the call for the next ones.
    private var read: [UInt8] = []
    private var parts = 0
    private(set) var reading: Attempt?
    /// The entries that the ordering service has.
    var tail: Tail
    /// The formats of records that are read.
    private let formats: RecordFormats

    init(head: Position, _ formats: RecordFormats) {
        (reach, taken, tail, self.formats) = (head, head, Tail(after: head), formats)
    }

    /// True while no entry waits.
    var isEmpty: Bool { queue.isEmpty }
    /// True while so much waits that no more is to be asked for.
    var isFull: Bool { queue.reduce(0) { $0 + ($1.records?.count ?? $1.head.bytes) } >= Incoming.mostBytes }

    /// Accepts the value of an entry.
    ///
    /// - Throws: `.unreadable` for a value that is none.
    mutating func accept(_ value: [UInt8]) throws(ClusterError) -> Acceptance {
        let (head, term, records) = try EntryHead.read(value, of: formats)
        guard head.last > reach else { return .known }
        guard head.first == reach.next else { return .gap }
        reach = head.last
        tail.added(head)
        queue.append(Waiting(head: head, term: term, records: records))
        return .accepted
    }

    /// Hands the next entry to the shell, or reads its parts.
    mutating func advance(_ keys: LogKeys, _ calls: inout Calls) {
        guard !isTaking, let next = queue.first else { return }
        if let records = next.records {
            isTaking = true
            return calls.act(.take(Entry(next.head, next.term, records: records)))
        }
        guard reading == nil else { return }
        reading = Attempt(.range(keys.parts(from: parts, count: 4, of: next.head.first, term: next.term)), &calls)
    }

    /// Takes over parts of the first entry.
    ///
    /// - Returns: false where they are gone, or are not what the entry says: then everything is read again.
    mutating func answered(_ ranged: OrderingRanged) -> Bool {
        reading = nil
        guard let next = queue.first, !ranged.keys.isEmpty else { return false }
        for part in ranged.keys { read += part.value }
        parts += ranged.keys.count
        guard read.count <= next.head.bytes, parts <= next.head.parts else { return false }
        guard parts == next.head.parts else { return true }
        guard read.count == next.head.bytes else { return false }
        queue[0].records = read
        (read, parts) = ([], 0)
        return true
    }

    mutating func readingFailed(_ calls: inout Calls, at now: UInt64) { reading?.failed(&calls, at: now) }
    mutating func ticked(_ calls: inout Calls, at now: UInt64) { reading?.ticked(&calls, at: now) }

    /// Notes that the log is folded up to a position: an entry was taken, or one was written here.
    mutating func taken(through position: Position) {
        if isTaking, !queue.isEmpty { queue.removeFirst() }
        isTaking = false
        taken = position
        reach = max(reach, position)
    }

    /// Notes that the shell gave back the entry that it was to take; all of them are read again.
    mutating func notTaken() {
        isTaking = false
        clear()
    }

    /// Forgets the entries that are not with the shell; they are read again.
    mutating func clear() {
        queue.removeLast(queue.count - (isTaking ? 1 : 0))
        reach = queue.last?.head.last ?? taken
        (read, parts, reading) = ([], 0, nil)
    }
}
