/// Every limit that a client can meet, each told in the greeting.
package struct Limits: Equatable, Sendable {
    /// The longest request line, in bytes, its LF not counted.
    package var line = 1_048_576
    /// How many requests of one connection are taken up in one turn; the rest wait in the socket.
    package var inflight = 256
    /// How many connections at once.
    package var connections = 1_024
    /// How many subscriptions one connection may have.
    package var subscriptions = 1_000
    /// How many bytes of rows make a page of `LIST` full before its `limit=` does.
    package var page = 1_048_576
    /// How many bytes may wait for one connection before its further requests wait: enough for a client that sends
    /// tens of thousands of writes before it reads the first receipt.
    package var output = 4_194_304
    /// How many bytes are kept for all clients together: what they sent and was not taken up, what they are sent and did
    /// not take, answers under way, subscriptions and what is remembered for them.
    package var memory = 64 << 20
    /// How many bytes may wait for one connection however much is kept for others.
    package var leastOutput = 16_384
    /// How many seconds a request line may take once it is begun; and how long a connection may ask for nothing where
    /// another client finds no room.
    package var idle = 30
    /// How many bytes of a `READ` or of pushes are prepared ahead of a reader. No client can meet it: what is not
    /// prepared waits in the log. So the greeting does not tell it.
    package var ahead = 262_144

    /// How many bytes of events a commit takes: whoever writes more while the one before is under way waits for it. No
    /// client can meet it but by waiting.
    package var commit = 2 << 20
    /// How many rows one page of `LIST` tries its filters on before it ends early. No client has to know it: the page
    /// has a `next`.
    package var looks = 500
    /// How many counts that take long go on at once: each is told of every row that changes. One more waits its turn.
    package var counts = 64

    package init() {}
}
