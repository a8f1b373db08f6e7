import StoryCore

/// The next step of the loop for one connection, as a function of what the connection is and holds.
///
/// A connection that is neither read from nor gone on with waits for something that comes by itself: its own end, work
/// beside the loop, a commit, or a reader that takes what was sent.
struct NextStep: Equatable {
    /// Whether what the peer sends is read.
    enum Input {
        case read
        /// Read where a long line may go on; only some do at a time.
        case readLongLine
        /// Left in the socket. A whole long line keeps the room that it took until it is taken up.
        case leave
        /// Left in the socket, and no long line goes on.
        case leaveForLong
    }

    let input: Input
    /// True where a line can be taken up.
    let takesLine: Bool
    /// True where an answer or a subscription can be gone on with.
    let isPublished: Bool
    /// True where nothing is left to be done but to close it.
    let isClosed: Bool

    /// What is known of a connection.
    struct Facts {
        var isOpen = true
        var isEnding = false
        /// How many bytes are there that were not taken as lines, and whether they hold a whole line, or the end.
        var buffered = 0
        /// With so many bytes no more is read, but of a long line.
        var much = Reading.much
        var hasLine = false
        /// True while its output has room for the answers of requests.
        var hasRoom = true
        /// True while its output has room for what is prepared ahead of its reader.
        var hasRoomAhead = true
        /// True where its reader took everything.
        var isTaken = true
        /// True where nothing waits to be handed to the transport.
        var isSent = true
        var isAnswering = false
        /// True where a subscription has something to be sent.
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
