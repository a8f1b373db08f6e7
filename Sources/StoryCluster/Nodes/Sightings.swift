import StoryCore

/// The times at which nodes were last seen to report.
struct Sightings: Equatable {
    private struct Sighting: Equatable {
        let revision: Int64
        /// When the key was found with this revision, in nanoseconds.
        let at: UInt64
        /// False for the revision that the key was found with first, which may be of any age.
        let isReport: Bool
    }

    private var sightings: [String: Sighting] = [:]
    private var now: UInt64 = 0

    mutating func ticked(_ members: [String: Member], at now: UInt64) {
        self.now = now
        for name in sightings.keys where members[name] == nil { sightings[name] = nil }
        for (name, member) in members where sightings[name]?.revision != member.revision {
            sightings[name] = Sighting(revision: member.revision, at: now, isReport: sightings[name] != nil)
        }
    }

    /// Returns when a node reported last, in nanoseconds; nil where it did not since this one began.
    func lastReport(of name: String) -> UInt64? {
        sightings[name].flatMap { $0.isReport ? $0.at : nil }
    }

    /// Returns true for a node whose key was seen.
    func isKnown(_ name: String) -> Bool { sightings[name] != nil }

    /// Returns true for a node that reported a moment ago.
    func isLiving(_ name: String) -> Bool { lastReport(of: name).map { now - $0 <= LocalReport.silence } ?? false }

    /// Returns true for a node that should have reported meanwhile.
    func isSilent(_ name: String) -> Bool { sightings[name].map { now - $0.at > LocalReport.silence } ?? false }
}

/// The time for which a node does not campaign, since another one is wished to lead.
struct Deference: Equatable {
    /// The most time without a leader, in nanoseconds.
    static let most: UInt64 = 1_000_000_000

    /// The revision of the wish.
    private var revision: Int64?
    private var end: UInt64 = 0
    private var isOver = false

    /// Counts the time without a leader.
    mutating func ticked(_ membership: Membership, at now: UInt64) {
        guard membership.leader == nil, let wish = membership.wish else { return }
        if revision != wish.revision { (revision, end, isOver) = (wish.revision, now + Deference.most, false) }
        isOver = isOver || now >= end
    }

    /// Returns true while a wish is waited for.
    func holds(for wish: LeaderWish) -> Bool { revision != wish.revision || !isOver }
}

/// Whether this node can store the log. Where it cannot, another one leads, if there is one that can.
struct Fitness: Equatable {
    private(set) var isFit = true
    /// True while another node is to take the lead.
    private(set) var isStandingBack = false
    /// True once the lead was handed over: where it comes back, no other node takes it.
    private var hasHandedOver = false
    /// Since when no node leads, as far as is known.
    private var freeSince: UInt64?

    /// Notes whether the own storage is full.
    mutating func changed(isFit: Bool) {
        self.isFit = isFit
        (isStandingBack, hasHandedOver, freeSince) = (!isFit, false, nil)
    }

    /// Leaves the lead to other nodes for some time in which none leads.
    mutating func ticked(isFree: Bool, patience: UInt64, at now: UInt64) {
        guard !isFit else { return }
        freeSince = isFree ? freeSince ?? now : nil
        isStandingBack = freeSince.map { now - $0 < patience } ?? true
    }

    /// Returns true once where the lead is to be handed over.
    mutating func handsOver() -> Bool {
        guard !isFit, !hasHandedOver else { return false }
        hasHandedOver = true
        return true
    }
}
