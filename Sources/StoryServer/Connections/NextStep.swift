import StoryCore

/// The next step of the loop for one connection, as a function of the connection's state.
///
/// A connection that is neither read nor served waits for an event that comes by itself: its own end, background work,
/// a commit, or a client that reads its output.
struct NextStep: Equatable {
    /// Whether the peer's bytes are read.
    enum Input {
        case read
        /// Reads if a long line may go on; only some may at a time.
        case readLongLine
        /// Leaves the bytes in the socket. A complete long line keeps its slot until it is handled.
        case leave
        /// Leaves the bytes in the socket, and frees the slot of a long line.
        case leaveForLong
    }

    let input: Input
    /// True where a line can be handled.
    let takesLine: Bool
    /// True where an answer or a subscription can be continued.
    let isPublished: Bool
    /// True where only closing is left to do.
    let isClosed: Bool

    /// The state of a connection that its next step depends on.
    struct Facts {
        var isOpen = true
        var isEnding = false
        /// The number of bytes that were not taken as lines; `hasLine`: whether they hold a complete line, or the end
        /// of input.
        var buffered = 0
        /// The number of buffered bytes from which on only a long line is read further.
        var much = Reading.much
        var hasLine = false
        /// True while the output has room for replies.
        var hasRoom = true
        /// True while the output has room for prefetched answers and pushes.
        var hasRoomAhead = true
        /// True where the client has read everything.
        var isTaken = true
        /// True where no output waits to be handed to the transport.
        var isSent = true
        var isAnswering = false
        /// True where a subscription has something to send.
        var isFollowing = false
    }

    init(_ facts: Facts) {
        input = NextStep.input(facts)
        takesLine = facts.isOpen && facts.hasLine && facts.hasRoom
        isPublished =
            !facts.isEnding && facts.hasRoomAhead && (facts.isAnswering || facts.isTaken && facts.isFollowing)
        isClosed = facts.isEnding && facts.isSent
    }

    private static func input(_ facts: Facts) -> Input {
        guard !facts.isEnding else { return .leaveForLong }
        let takesLines = facts.isOpen && facts.hasRoom
        guard facts.buffered >= facts.much else { return .read }
        guard takesLines else { return .leaveForLong }
        return facts.hasLine ? .leave : .readLongLine
    }
}
