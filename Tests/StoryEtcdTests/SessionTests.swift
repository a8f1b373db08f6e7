import StoryCluster
import StoryEtcd
import TestSupport
import Testing

/// Sessions whose server is played by frames made by hand.
@Suite struct SessionTests {
    private let put = OrderingCall.put("/a", [1])
    private let header = OrderingHeader(cluster: 7, revision: 9)
    /// The reply to a put: the cluster 7, the revision 9, one result.
    private let done: [UInt8] = [0x0A, 4, 0x08, 7, 0x18, 9, 0x10, 1, 0x1A, 2, 0x12, 0]

    @Test func `a session begins with its preface, and opens windows of 8 MiB`() {
        let session = EtcdSession(EtcdPeer(authority: "etcd:2379"))
        let window: [UInt8] = [0, 0x80, 0, 0]
        let settings = ServerFrames.frame(type: 4, flags: 0, stream: 0, [0, 2, 0, 0, 0, 0, 0, 4] + window)
        // The window of a connection is 65,535 bytes before.
        let update = ServerFrames.frame(type: 8, flags: 0, stream: 0, [0, 0x7F, 0, 1])
        expect(session.takeOutput() == Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings + update)
        expect(session.takeOutput() == [])
    }

    @Test func `a call has the answer of its reply, once its trailers are there`() {
        let played = PlayedSession([put])
        expect(played.results(of: ServerFrames.began(stream: 1)) == [])
        expect(played.results(of: ServerFrames.data(stream: 1, ServerFrames.framed(done))) == [])
        let answer = OrderingAnswer.transacted(succeeded: true, [.put], header)
        expect(played.results(of: ServerFrames.status(stream: 1, 0)) == [.answered(CallID(1), answer)])
        played.session.peerClosed()
        expect(played.session.takeResults() == [.connectionFailed(.closed)])
    }

    @Test func `replies in another order belong to their calls`() {
        let played = PlayedSession([put, put, put])
        let answer = OrderingAnswer.transacted(succeeded: true, [.put], header)
        let order: [UInt32] = [5, 1, 3]
        let results = played.results(of: order.flatMap { ServerFrames.reply(stream: $0, done) })
        expect(results == [3, 1, 2].map { .answered(CallID($0), answer) })
    }

    @Test(arguments: [
        (8, "etcdserver: mvcc: database space exceeded", OrderingAnswer.full),
        (3, "etcdserver: request is too large", .refused(.tooLarge)),
        (8, "grpc: received message larger than max (1835067 vs. 1573888)", .refused(.tooLarge)),
        (7, "etcdserver: permission denied", .refused(.denied)),
        (16, "etcdserver: invalid auth token", .refused(.denied)),
        (3, "etcdserver: user name is empty", .refused(.denied)),
        (5, "etcdserver: requested lease not found", .refused(.noLease)),
        (11, "etcdserver: mvcc: required revision has been compacted", .refused(.compacted)),
        (11, "etcdserver%3A mvcc: required revision%20has been compacted", .refused(.compacted)),
        (
            3, "etcdserver: duplicate key given in txn request",
            .refused(.other("etcdserver: duplicate key given in txn request"))
        ),
    ])
    func `an error by which etcd says that it did nothing is a refusal`(
        code: Int, message: String, answer: OrderingAnswer
    ) {
        let played = PlayedSession([put])
        let results = played.results(of: ServerFrames.refusal(stream: 1, code, message))
        expect(results == [.answered(CallID(1), answer)])
    }

    @Test(arguments: [
        (14, "etcdserver: request timed out"), (14, "etcdserver: no leader"), (14, "etcdserver: leader changed"),
        (8, "etcdserver: too many requests"), (8, "grpc: trying to send message larger than max"), (2, "EOF"),
        (13, ""), (4, "context deadline exceeded"), (0, ""), (0, "etcdserver: permission denied"), (99, "%zz%4"),
    ])
    func `any other error leaves the call unknown`(code: Int, message: String) {
        let played = PlayedSession([put])
        let results = played.results(of: ServerFrames.refusal(stream: 1, code, message))
        expect(results == [.answered(CallID(1), .unknown)])
        expect(!played.session.hasEnded)
    }

    @Test func `a call is unknown whose reply is not one whole message, or whose stream is reset`() {
        let began = ServerFrames.began(stream: 1)
        let ends = ServerFrames.status(stream: 1, 0)
        let message = ServerFrames.framed(done)
        let data = ServerFrames.data(stream: 1, message)
        let compressed = ServerFrames.data(stream: 1, [1] + message.dropFirst())
        let tooLong = ServerFrames.data(stream: 1, [0, 0, 0x80, 0, 1])
        let unavailable = ServerFrames.headers(stream: 1, [(":status", "503"), ("grpc-status", "0")])
        let replies = [
            began + ends, began + data + data + ends, began + ServerFrames.data(stream: 1, message.dropLast()) + ends,
            began + data + ServerFrames.data(stream: 1, [0]) + ends, began + compressed, began + tooLong,
            unavailable + data + ServerFrames.frame(type: 0, flags: 1, stream: 1, []),
            began + data + ServerFrames.frame(type: 0, flags: 1, stream: 1, []),
            began + data + ServerFrames.reset(stream: 1, 0), ServerFrames.reset(stream: 1, 7),
        ]
        for reply in replies {
            let played = PlayedSession([put])
            expect(played.results(of: reply) == [.answered(CallID(1), .unknown)], "\(reply)")
            played.session.call(CallID(2), put)
            played.send()
            let answer = OrderingAnswer.transacted(succeeded: true, [.put], header)
            expect(played.results(of: ServerFrames.reply(stream: 3, done)) == [.answered(CallID(2), answer)])
        }
    }

    @Test func `a range whose answer is too long is refused, since it did nothing`() {
        let played = PlayedSession([.get("/a")])
        let results = played.results(
            of: ServerFrames.began(stream: 1) + ServerFrames.data(stream: 1, [0, 0, 0x80, 0, 1]))
        expect(results == [.answered(CallID(1), .refused(.other("the answer has more than 8388608 bytes")))])
        expect(played.output == ServerFrames.reset(stream: 1, 8))
    }

    @Test func `a connection that the server ends, or that is no HTTP, leaves everything unknown`() {
        let ends: [[UInt8]] = [
            ServerFrames.goAway(last: 0x7FFF_FFFF), Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
            ServerFrames.frame(type: 0, flags: 0, stream: 9, [1]),
            ServerFrames.frame(type: 1, flags: 4, stream: 1, [0x80]),
        ]
        for bytes in ends {
            let played = PlayedSession([put, .renewLease(5)])
            played.session.watch(CallID(3), OrderingWatch(.prefix("/a/"), revision: 1))
            played.send()
            let results = played.results(of: bytes + ServerFrames.reply(stream: 1, done))
            expect(
                results.prefix(3) == [
                    .answered(CallID(1), .unknown), .answered(CallID(2), .unknown), .watchEnded(CallID(3), .broken),
                ])
            guard results.count == 4, case .connectionFailed(.protocolEnded) = results[3] else {
                Issue.record("\(results)")
                continue
            }
            expect(played.session.hasEnded)
            expect(played.results(of: ServerFrames.settings) == [])
        }
    }

    @Test func `a stream of renewals that fails leaves those that wait unknown, and the next opens another`() {
        let kept: [UInt8] = [0x0A, 4, 0x08, 7, 0x18, 9, 0x10, 5, 0x18, 3]
        let played = PlayedSession([.renewLease(5), .renewLease(5), .renewLease(6)])
        let answer = EtcdResult.answered(CallID(1), .renewed(seconds: 3))
        expect(played.results(of: ServerFrames.began(stream: 1)) == [])
        expect(played.results(of: ServerFrames.data(stream: 1, ServerFrames.framed(kept))) == [answer])
        played.session.cancel(CallID(2))
        expect(
            played.session.takeResults() == [.answered(CallID(3), .unknown), .answered(CallID(2), .unknown)])
        played.session.call(CallID(4), .renewLease(5))
        played.send()
        let reply = ServerFrames.began(stream: 3) + ServerFrames.data(stream: 3, ServerFrames.framed(kept))
        expect(played.results(of: reply) == [.answered(CallID(4), .renewed(seconds: 3))])
    }
}
