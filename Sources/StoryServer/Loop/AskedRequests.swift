import StoryCore
import StoryWire

/// A request without its values, as the trace may tell of it.
struct RequestOutline {
    let verb: Verb
    /// The names of what it was about and of its options.
    let given: GivenNames
}

/// The requests of one connection whose replies have not left, those of one turn together.
struct AskedRequests {
    /// Requests that were taken up in one turn.
    struct Group {
        /// When the turn began in which their lines were taken up, in nanoseconds.
        let began: UInt64
        /// The turn in which the last of their replies was whole.
        var turn: UInt64
        /// The first of them.
        let first: RequestOutline
        var count: UInt64
        /// The reply of the last one ends behind so many bytes of all that the connection is sent.
        var end: UInt64
    }

    private(set) var groups: [Group] = []
    /// When the line was first met that waits to be taken up, or whose answer is under way; nil where there is none.
    var waitingSince: UInt64?
    /// The request whose answer is under way.
    var underWay: RequestOutline?

    var isEmpty: Bool { groups.isEmpty }

    /// A reply is whole, behind so many bytes of all that the connection is sent.
    mutating func replied(_ request: RequestOutline, began: UInt64, in turn: UInt64, end: UInt64) {
        if let last = groups.indices.last, groups[last].began == began, groups[last].turn == turn {
            groups[last].count += 1
            groups[last].end = end
        } else {
            groups.append(Group(began: began, turn: turn, first: request, count: 1, end: end))
        }
    }

    /// So many bytes have left; `each` gets the requests whose replies are among them.
    mutating func left(_ bytes: UInt64, _ each: (Group) -> Void) {
        var over = 0
        while over < groups.count, groups[over].end <= bytes {
            each(groups[over])
            over += 1
        }
        if over == groups.count { groups.removeAll(keepingCapacity: over <= 4) } else { groups.removeFirst(over) }
    }

    /// The replies were undone.
    mutating func forget() { groups = [] }
}
