/// The limits of the store; the greeting has those that a client needs to know.
package struct Limits: Equatable, Sendable {
    /// The longest request line, in bytes, its LF not counted.
    package var line = 1_048_576
    /// The maximum number of requests of one connection that are handled in one turn; the rest wait in the socket.
    package var inflight = 256
    /// The maximum number of concurrent connections.
    package var connections = 1_024
    /// The maximum number of subscriptions of one connection.
    package var subscriptions = 1_000
    /// The number of bytes of rows that end a page of `LIST` before its `limit=` does.
    package var page = 1_048_576
    /// The maximum number of unsent bytes of one connection before its further requests wait: enough for a client that
    /// sends tens of thousands of writes before it reads the first receipt.
    package var output = 4_194_304
    /// The memory of all clients together, in bytes: requests not yet handled, output not yet sent, answers under way,
    /// subscriptions and their state.
    package var memory = 64 << 20
    /// The number of bytes that may wait for one connection, however much memory the others use.
    package var leastOutput = 16_384
    /// The time that a request line may take once it is begun, in seconds; also the time that a connection may be idle
    /// while another client finds no room.
    package var idle = 30
    /// The number of bytes of a `READ` or of pushes that are prepared ahead of a reader. A client cannot exceed it,
    /// since the rest waits in the log, so the greeting leaves it out.
    package var ahead = 262_144

    /// The maximum number of rows of declared models that the events of one write change, each change counted.
    package var changes = 100_000
    /// The maximum memory of the rows of declared models that the events of one write change, with the entries of their
    /// indexes, in bytes.
    package var changedBytes = 16 << 20
    /// The maximum time that the events of one write take to fold into declared models, in milliseconds, estimated from the
    /// work: other writes wait for it.
    package var foldMilliseconds = 10_000
    /// The work of folding the events of a write into declared models, at most, up to which it is done as they are appended;
    /// a longer fold is done before that, in steps.
    package var shortFold = Work(microseconds: 1_000)
    /// The work of the steps of long folds in a turn.
    package var foldStep = Work(microseconds: 1_500)

    /// The number of bytes of events at which a commit is full; further writes wait for the commit under way. A client
    /// notices only that wait.
    package var commit = 2 << 20
    /// The number of bytes of acknowledged events that a node keeps in memory alone while its disk is full; it follows no
    /// further then.
    package var unstored = 28 << 20
    /// The number of rows that one page of `LIST` tries its filters on before it ends early. A client need not know it,
    /// since the page has a `next`.
    package var looks = 500
    /// The maximum number of concurrent long counts, since each one sees every row that changes. One more waits its
    /// turn.
    package var counts = 64

    /// The size of the durable row changes that are kept for subscriptions, in bytes. A subscription that falls behind
    /// them is shown its list again.
    package var feed = 4 << 20
    /// The size of the row changes that are not durable at which further writes wait for a commit, in bytes.
    package var pendingFeed = 8 << 20

    /// Creates the default limits.
    package init() {}
}
