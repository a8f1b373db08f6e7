import StoryCore

/// The term of a node that leads: its lease, the entry that it writes, and the removal of old entries.
struct Leadership: Equatable {
    /// How often entries are removed that every node has, in nanoseconds.
    private static let trimInterval: UInt64 = 1_000_000_000
    /// How often they are removed once more, in nanoseconds.
    private static let cleanInterval: UInt64 = 10_000_000_000
    /// After how long, in nanoseconds, or how many bytes of entries the ordering service forgets old revisions.
    private static let compactInterval: UInt64 = 30_000_000_000
    private static let compactBytes = 64 << 20
    /// The age of the revision that the ordering service forgets everything before, in nanoseconds.
    private static let compactAge: UInt64 = 2_000_000_000

    let term: Term
    let lease: Int64
    private let keys: LogKeys
    /// The most bytes of entries that the ordering service keeps for nodes that are away.
    private let mostBytes: Int
    var writing: Writing?
    /// True once another node is to lead, and this one takes no more writes.
    var isYielding = false
    /// True once the lead is to be handed over as soon as no entry is under way.
    var isHandingOver = false
    private(set) var renewal: Attempt?
    private(set) var trim: Attempt?
    private(set) var compaction: Attempt?
    private(set) var snapshot: Attempt?
    private var renewAt: UInt64
    private let renewInterval: UInt64
    private var trimAt: UInt64
    private var cleanAt: UInt64 = 0
    private var compactAt: UInt64
    private var compactedBytes = 0
    /// The revision that the ordering service was to forget everything before.
    private var compacted: Int64 = 0
    /// The first position that is not removed, as far as is known.
    private(set) var trimmed = Position.zero
    private var trimming = Position.zero
    /// The last entry of the log begins here; it is never removed.
    private var lastFirst: Position?
    /// Revisions with the time that they were seen at, the oldest first.
    private var revisions: [SeenRevision] = []

    private struct SeenRevision: Equatable {
        let at: UInt64
        let revision: Int64
    }

    init(_ term: Term, lease: Int64, seconds: Int, _ settings: ReplicaSettings, _ keys: LogKeys, at now: UInt64) {
        (self.term, self.lease, self.keys, mostBytes) = (term, lease, keys, settings.tail)
        renewInterval = UInt64(max(1, seconds)) * 1_000_000_000 / 3
        renewAt = now
        trimAt = now + Leadership.trimInterval
        compactAt = now + Leadership.compactInterval
    }

    /// Notes that an entry is in the log.
    mutating func wrote(_ head: EntryHead) {
        compactedBytes += head.bytes
        lastFirst = head.first
    }

    /// Notes the last entry of the log when the term began.
    mutating func found(last first: Position?) { lastFirst = lastFirst ?? first }

    private mutating func saw(_ revision: Int64, at now: UInt64) {
        guard revision > revisions.last?.revision ?? compacted, now >= (revisions.last?.at ?? 0) + 100_000_000 else {
            return
        }
        revisions.append(SeenRevision(at: now, revision: revision))
    }

    /// Asks for the nodes and the leader, from which on both are watched.
    mutating func readMembers(_ calls: inout Calls) {
        snapshot = Attempt(.transaction(then: Membership.operations(keys)), &calls)
    }

    /// - Parameter erased: the position of the last event `Erased`: the events that it erases are in entries before it.
    mutating func ticked(
        _ members: Membership, tail: Tail, erased: Position, _ calls: inout Calls, at now: UInt64
    ) {
        writing?.ticked(&calls, at: now)
        renewal?.ticked(&calls, at: now)
        trim?.ticked(&calls, at: now)
        compaction?.ticked(&calls, at: now)
        snapshot?.ticked(&calls, at: now)
        if renewal == nil, now >= renewAt {
            renewAt = now + renewInterval
            renewal = Attempt(.renewLease(lease), &calls)
        }
        if trim == nil, now >= trimAt { beginTrim(members, tail: tail, erased: erased, &calls, at: now) }
        if compaction == nil, now >= compactAt || compactedBytes >= Leadership.compactBytes {
            beginCompaction(&calls, at: now)
        }
    }

    /// Removes the entries that all nodes have stored. Those that two have stored go where the tail is too large, where it is
    /// not known how large, since this process did not see them come, and where events in it are erased.
    private mutating func beginTrim(
        _ members: Membership, tail: Tail, erased: Position, _ calls: inout Calls, at now: UInt64
    ) {
        trimAt = now + Leadership.trimInterval
        guard let lastFirst else { return }
        let safe = members.storedTwice.next
        let hasErased = tail.first <= erased
        if hasErased { compactAt = min(compactAt, now + 2 * Leadership.compactAge) }
        let isShort = tail.bytes <= mostBytes && !hasErased
        let wanted = max(members.storedByAll.next, isShort ? min(safe, tail.seenFrom) : safe)
        let end = min(wanted, lastFirst)
        // A late try of an entry may put it back after it was removed.
        guard end > trimmed || now >= cleanAt else { return }
        cleanAt = now + Leadership.cleanInterval
        trimming = end
        let leads = OrderingTransaction.Condition.created(keys.leader, at: term.revision)
        trim = Attempt(.transaction(if: [leads], then: keys.before(end).map { .delete($0) }), &calls)
    }

    private mutating func beginCompaction(_ calls: inout Calls, at now: UInt64) {
        guard now >= Leadership.compactAge,
            let index = revisions.lastIndex(where: { $0.at <= now - Leadership.compactAge }),
            revisions[index].revision > compacted
        else { return }
        compacted = revisions[index].revision
        (compactAt, compactedBytes) = (now + Leadership.compactInterval, 0)
        compaction = Attempt(.compact(revision: compacted), &calls)
        revisions.removeFirst(index)
    }

    /// The news of an answer to one of the term's own calls.
    enum News: Equatable {
        case nothing
        /// The lease is gone, so another node may lead.
        case leaseEnded
        /// Another node leads.
        case superseded
        case members([OrderingResult], OrderingHeader)
        case written(EntryHead, Writing.Ended)
        /// The entries before the one that begins at a position are removed.
        case trimmed(Position)
    }

    /// Takes the answer to a call of this term; nil for a call that is none of it.
    mutating func answered(_ id: CallID, _ answer: OrderingAnswer, at now: UInt64, _ calls: inout Calls) -> News? {
        if case .transacted(_, _, let header) = answer { saw(header.revision, at: now) }
        if let entry = writing, entry.isAsking(id) {
            guard let end = writing?.answered(id, answer, at: now, &calls) else { return .nothing }
            writing = nil
            return .written(entry.head, end)
        }
        if renewal?.id == id {
            renewal = nil
            return if case .renewed(0) = answer { .leaseEnded } else { .nothing }
        }
        if compaction?.id == id {
            compaction = nil
            return .nothing
        }
        if trim?.id == id {
            // Another try comes in a second: it deletes no other keys than this one may still delete.
            trim = nil
            guard case .transacted(let succeeded, _, _) = answer else { return .nothing }
            guard succeeded else { return .superseded }
            trimmed = trimming
            return .trimmed(trimming)
        }
        guard snapshot?.id == id else { return nil }
        guard case .transacted(true, let results, let header) = answer else {
            snapshot?.failed(&calls, at: now)
            return .nothing
        }
        snapshot = nil
        return .members(results, header)
    }
}
