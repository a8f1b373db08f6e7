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
