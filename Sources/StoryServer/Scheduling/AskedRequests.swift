import StoryCore
import StoryWire

/// An outline of a request for the trace: its verb and the names that it gave, without values.
struct RequestOutline {
    let verb: Verb
    /// The names in the request's target and options.
    let given: GivenNames
}

/// The requests of one connection whose replies have not been sent, grouped by turn.
struct AskedRequests {
    /// Requests that were read in the same turn, and whose replies were completed in the same turn.
    struct Group {
        /// When the turn began that read them, in nanoseconds of the steady clock.
        let began: UInt64
        /// The number of the turn in which their replies were completed.
        var turn: UInt64
        /// The first request of the group.
        let first: RequestOutline
        var count: UInt64
        /// The end of the last reply, as an offset in all bytes that the connection is ever sent.
        var end: UInt64
    }

    private(set) var groups: [Group] = []
    /// When the oldest request that still waits, or whose answer is in progress, was first read; nil where there is
    /// none.
    var waitingSince: UInt64?
    /// The request whose answer is in progress.
    var underWay: RequestOutline?

    var isEmpty: Bool { groups.isEmpty }

    /// Adds a request whose reply is complete and ends at an offset in all bytes that the connection is sent.
    mutating func replied(_ request: RequestOutline, began: UInt64, in turn: UInt64, end: UInt64) {
        if let last = groups.indices.last, groups[last].began == began, groups[last].turn == turn {
            groups[last].count += 1
            groups[last].end = end
        } else {
            groups.append(Group(began: began, turn: turn, first: request, count: 1, end: end))
        }
    }

    /// Removes the groups whose replies were sent, and calls `each` with them; `bytes` is the total sent so far.
    mutating func left(_ bytes: UInt64, _ each: (Group) -> Void) {
        var over = 0
        while over < groups.count, groups[over].end <= bytes {
            each(groups[over])
            over += 1
        }
        if over == groups.count { groups.removeAll(keepingCapacity: over <= 4) } else { groups.removeFirst(over) }
    }

    /// Forgets the requests, since their replies were undone.
    mutating func forget() { groups = [] }
}
