import StoryCore

/// A first-in, first-out queue.
struct FIFO<Element> {
    private var elements: [Element] = []
    /// The number of leading elements that were already taken out.
    private var taken = 0

    var count: Int { elements.count - taken }

    /// The first element; nil when there is none.
    var first: Element? { count > 0 ? elements[taken] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Takes out the first element; nil when there is none.
    mutating func next() -> Element? {
        guard count > 0 else { return nil }
        let element = elements[taken]
        taken += 1
        // Compacts only when half is free, so that it moves no more elements than were taken out.
        if taken * 2 >= elements.count {
            elements.removeFirst(taken)
            taken = 0
        }
        return element
    }
}

/// A fair queue of connections that wait for their shares of a turn's work.
///
/// Connections that had no share since they were idle come first, and leave one share of the turn to the others: deficit
/// round robin with new flows first, as RFC 8290 has it for packets. So an interactive client waits for the shares of
/// others, never for all of their work.
struct FairQueue {
    /// The work of a turn.
    static let turn = 8 * share
    /// The share of a connection, at most.
    static let share = Work(microseconds: 250)
    /// The sum that the shares of all waiting connections divide.
    private static let allShares = 64 * share

    /// The flag that marks a connection as being in this queue.
    private let list: Connection.Lists
    /// The share of a connection, at least.
    private let leastShare: Work
    /// The work that is left in this turn.
    private var workLeft = FairQueue.turn
    private var rested = FIFO<Connection>()
    private var served = FIFO<Connection>()

    init(_ list: Connection.Lists, leastShare: Work = share) { (self.list, self.leastShare) = (list, leastShare) }

    /// The number of connections that wait for a share.
    var count: Int { rested.count + served.count }

    /// True while more is left than the share of connections that had one before.
    private var takesRested: Bool { workLeft > FairQueue.share }

    /// Returns true while the connection waits for a share.
    func isWaiting(_ connection: Connection) -> Bool { connection.listed.contains(list) }

    /// Returns true where a connection that had no share since it was idle would be the next one.
    func wouldBeNext(_ connection: Connection) -> Bool {
        takesRested && (isWaiting(connection) ? count == 1 : rested.count == 0)
    }

    /// Gives the next turn work of its own.
    mutating func turnEnded() { workLeft = FairQueue.turn }

    /// Adds a connection that wants a share.
    ///
    /// - Parameter hadShare: whether it just had a share, so that others come first.
    mutating func add(_ connection: Connection, hadShare: Bool) {
        guard !isWaiting(connection) else { return }
        connection.listed.insert(list)
        if hadShare { served.append(connection) } else { rested.append(connection) }
    }

    /// Takes out the connection whose share is next; nil when there is none, or no work is left in this turn.
    mutating func next() -> Connection? {
        guard workLeft > .zero else { return nil }
        let connection = takesRested ? rested.next() ?? served.next() : served.next() ?? rested.next()
        connection?.listed.remove(list)
        return connection
    }

    /// Takes the share of one connection out of the turn's work, less where many wait; `giveBack` returns the rest of it.
    ///
    /// - Parameter reserve: the work of the turn that is not shared out.
    mutating func takeShare(except reserve: Work = .zero) -> Work {
        let equal = Work(nanoseconds: FairQueue.allShares.nanoseconds / max(1, count))
        let share = min(min(max(equal, leastShare), FairQueue.share), workLeft - reserve)
        workLeft -= share
        return share
    }

    /// Returns the rest of a share; one that was overdrawn is charged here. A share without results has a cost as well.
    mutating func giveBack(_ rest: Work) { workLeft += rest - .key }
}
