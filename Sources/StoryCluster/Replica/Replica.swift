package import StoryCore

/// A node of a log that several machines have: it follows the log in the engine, or leads and writes to it.
///
/// Each method is an input, named for the event that happened; `now` is monotonic time in nanoseconds. Each returns the
/// actions for the shell, in their order. No safety rests on a clock.
package struct Replica: Equatable {
    /// The purpose of catching up.
    package enum Aim: Equatable, Sendable {
        case follow
        /// This node has the lead of a term, and writes once it has everything that was written before.
        case lead(Term, lease: Int64, seconds: Int)
    }

    /// The state of a node.
    enum State: Equatable {
        /// Reads the log's identity, its nodes and its ends.
        case joining
        /// Writes this node's own key.
        ///
        /// `behind`: the position through which the engine has no events any more that this node lacks.
        case registering(behind: Position?)
        /// Fetches events that the engine no longer has from another node.
        case seeding(through: Position)
        case catchingUp(then: Aim)
        case following
        /// Asks for a lease, then for the lead.
        case campaigning(lease: Int64?, seconds: Int)
        case leading(Leadership)
        /// Gives up the lead of a term, which is never taken up again.
        case resigning(Term)
        case stopped
    }

    package let settings: ReplicaSettings
    let keys: LogKeys
    let history: [UInt8]
    var state = State.joining
    var calls: Calls
    /// The one call that the state waits for.
    var main: Attempt?
    var incoming: Incoming
    var membership: Membership
    var report: OwnReport
    var watch = FollowedWatch()
    var lastFirst: Position?
    var isDraining = false
    var campaigns = 0

    /// Creates a node over its own log.
    package init(_ settings: ReplicaSettings, _ log: OwnLog) {
        self.settings = settings
        keys = LogKeys(log: settings.log)
        history = log.history
        calls = Calls(endpoints: settings.endpoints)
        incoming = Incoming(head: log.head)
        membership = Membership(keys, own: settings.node)
        report = OwnReport(settings, keys, stored: log.head)
    }

    /// The node that leads, as far as is known.
    package var leader: Leader? { membership.leader }
    /// The nodes of the log.
    package var members: [String: Member] { membership.members }

    /// The state for a person.
    package var stateText: String { "\(state) \(main.map { "\($0)" } ?? "none") \(incoming) \(membership)" }

    /// The term that this node leads and may write in; nil while it may not.
    package var writableTerm: Term? {
        guard case .leading(let term) = state, term.writing == nil, !term.isHandingOver, !term.isTailFull else {
            return nil
        }
        return term.term
    }

    /// True while this node has the lead.
    package var isLeading: Bool { if case .leading = state { true } else { false } }
    /// True once this node has everything that was in the log when it started.
    package var isCaughtUp: Bool {
        switch state {
        case .following, .campaigning, .leading, .resigning: true
        case .joining, .registering, .seeding, .catchingUp, .stopped: false
        }
    }

    /// When the next try of a call is due, in nanoseconds; nil while none is.
    package var wakeAt: UInt64? {
        var times = [main, incoming.reading].compactMap { $0 }.filter { $0.id == nil }.map(\.retryAt)
        if case .leading(let term) = state, let time = term.writing?.retryAt { times.append(time) }
        return times.min()
    }

    // MARK: Inputs

    /// The process has started.
    package mutating func began(at now: UInt64) -> [ClusterAction] {
        join()
        return calls.take()
    }

    /// A call was answered, or its outcome will not be known.
    package mutating func answered(_ id: CallID, _ answer: EngineAnswer, at now: UInt64) -> [ClusterAction] {
        do throws(ClusterError) {
            if main?.id == id {
                try mainAnswered(answer, at: now)
            } else if incoming.reading?.id == id {
                partsAnswered(answer, at: now)
            } else if let end = report.answered(id, answer, &membership) {
                try end.get()
            } else if watch.check?.id == id {
                if watch.answered(answer, keys, reach: incoming.reach, at: now) { readAgain() }
            } else if watch.dismissal?.id == id {
                watch.dismissal = nil
            } else {
                try termAnswered(id, answer, at: now)
            }
        } catch {
            stop(error)
        }
        return calls.take()
    }

    /// A watch tells changes.
    package mutating func watched(_ id: WatchID, _ batch: EngineWatchBatch, at now: UInt64) -> [ClusterAction] {
        do throws(ClusterError) { try changed(id, batch, at: now) } catch { stop(error) }
        return calls.take()
    }

    /// A watch has ended by itself.
    package mutating func watchEnded(_ id: WatchID, _ end: EngineWatchEnd, at now: UInt64) -> [ClusterAction] {
        calls.turn()
        switch (id, state) {
        case (.live, .following), (.live, .campaigning):
            main = nil
            readAgain()
        case (.live, .catchingUp): watch.isOn = false
        case (.leader, .leading(var term)), (.nodes, .leading(var term)):
            if term.snapshot == nil { term.readMembers(&calls) }
            state = .leading(term)
        case (.live, _), (.leader, _), (.nodes, _): break
        }
        return calls.take()
    }

    /// Time has gone by.
    package mutating func ticked(at now: UInt64) -> [ClusterAction] {
        main?.ticked(&calls, at: now)
        incoming.ticked(&calls, at: now)
        if isRegistered { report.ticked(membership, &calls, at: now) }
        switch state {
        case .following:
            watch.ticked(keys, &calls, at: now)
            campaignIfFree()
        case .leading(var term):
            term.ticked(membership, &calls, at: now)
            state = .leading(term)
            if let entry = term.writing, entry.isWaiting, now >= entry.began + settings.patience { giveUp(entry) }
        case .seeding(let position): seed(through: position, at: now)
        case .joining, .registering, .catchingUp, .campaigning, .resigning, .stopped: break
        }
        return calls.take()
    }

    /// An entry is ready to be written, while `writableTerm` is not nil. The end comes as `writeEnded`.
    package mutating func entryReady(_ head: EntryHead, records: [UInt8], at now: UInt64) -> [ClusterAction] {
        guard case .leading(var term) = state, term.writing == nil else {
            preconditionFailure("an entry from \(head.first.value) of a node that cannot write")
        }
        term.writing = Writing(head, records: records, keys, term: term.term, at: now, &calls)
        state = .leading(term)
        return calls.take()
    }

    /// The log is folded up to a position: the entry that was to be taken is.
    package mutating func taken(through position: Position, at now: UInt64) -> [ClusterAction] {
        incoming.taken(through: position)
        incoming.advance(keys, &calls)
        caughtUpSoFar()
        return calls.take()
    }

    /// The entry that was to be taken cannot follow, or differs from the one that is there.
    package mutating func notTaken(_ reason: String) -> [ClusterAction] {
        stop(.diverged(reason))
        return calls.take()
    }

    /// The own log is synced up to a position.
    package mutating func stored(through position: Position, seal: String? = nil) {
        report.stored(through: position, seal: seal)
    }

    /// The events that the engine no longer had are taken from another node, up to a position.
    package mutating func seeded(through position: Position, at now: UInt64) -> [ClusterAction] {
        guard case .seeding = state else { return [] }
        watch.isSeeding = false
        incoming.taken(through: position)
        catchUp(.follow)
        return calls.take()
    }

    /// The other node is gone, or has not what is wanted: another one is asked later.
    package mutating func seedFailed(at now: UInt64) { watch.seedFailed(at: now) }

    /// The process is asked to end: the lead is handed over first.
    package mutating func drainRequested(at now: UInt64) -> [ClusterAction] {
        isDraining = true
        switch state {
        case .leading(var term):
            term.isHandingOver = true
            state = .leading(term)
            if term.writing == nil { resign(term.term) }
        case .resigning: break
        case .campaigning: break
        case .joining, .registering, .seeding, .catchingUp, .following, .stopped: drained()
        }
        return calls.take()
    }
}
