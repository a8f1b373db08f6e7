import StoryCluster
import StoryEtcd
import TestSupport
import Testing

/// The token of a user, whose server is played.
@Suite struct TokenTests {
    private let user = EtcdUser(name: "node", password: "secret")
    private let put = OrderingCall.put("/a", [1])
    private let done: [UInt8] = [0x10, 1, 0x1A, 2, 0x12, 0]
    private let answer = OrderingAnswer.transacted(succeeded: true, [.put], OrderingHeader(cluster: 0, revision: 0))
    private let invalid = "etcdserver: invalid auth token"

    private func token(_ text: String) -> [UInt8] { [0x12, UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test func `calls wait for the token, in their order, and it is asked for once`() {
        let played = PlayedSession([put, put], user: user)
        // One request was sent: the second frame of headers would have the stream 3.
        expect(played.sent("node"))
        expect(played.results(of: ServerFrames.reply(stream: 1, token("abc.1"))) == [])
        let results = played.results(of: ServerFrames.reply(stream: 3, done) + ServerFrames.reply(stream: 5, done))
        expect(results == [.answered(CallID(1), answer), .answered(CallID(2), answer)])
    }

    @Test func `a call whose token is not valid any more is sent once more with another`() {
        let played = PlayedSession([put, put], user: user)
        played.receive(ServerFrames.reply(stream: 1, token("abc.1")))
        let refusals = ServerFrames.refusal(stream: 3, 16, invalid) + ServerFrames.refusal(stream: 5, 16, invalid)
        expect(played.results(of: refusals) == [])
        // Both wait for the one token that is asked for on stream 7.
        expect(played.results(of: ServerFrames.reply(stream: 7, token("abc.2"))) == [])
        expect(
            played.results(of: ServerFrames.reply(stream: 9, done) + ServerFrames.refusal(stream: 11, 16, invalid))
                == [.answered(CallID(1), answer), .answered(CallID(2), .refused(.tokenExpired))])
    }

    @Test func `a call that is denied is sent once more, with a token for the password of now`() {
        var passwords = ["first", "second"][...]
        let played = PlayedSession([put], user: user) { EtcdUser(name: "node", password: passwords.popFirst() ?? "") }
        expect(played.sent("first"))
        played.receive(ServerFrames.reply(stream: 1, token("abc.1")))
        let denied = "etcdserver: permission denied"
        expect(played.results(of: ServerFrames.refusal(stream: 3, 7, denied)) == [] && played.sent("second"))
        played.receive(ServerFrames.reply(stream: 5, token("abc.2")))
        expect(
            played.results(of: ServerFrames.refusal(stream: 7, 7, denied)) == [.answered(CallID(1), .refused(.denied))])
    }

    @Test func `a password that is refused refuses what waits, and the next call tries again`() {
        let played = PlayedSession([put], user: user)
        let wrong = "etcdserver: authentication failed, invalid user ID or password"
        expect(
            played.results(of: ServerFrames.refusal(stream: 1, 3, wrong)) == [.answered(CallID(1), .refused(.denied))])
        played.session.call(CallID(2), put)
        played.send()
        played.receive(ServerFrames.reply(stream: 3, token("abc.1")))
        expect(played.results(of: ServerFrames.reply(stream: 5, done)) == [.answered(CallID(2), answer)])
    }

    @Test func `a token that does not come leaves what waits unknown`() {
        let endings = [
            ServerFrames.refusal(stream: 1, 14, "etcdserver: no leader"), ServerFrames.reset(stream: 1, 2),
            ServerFrames.reply(stream: 1, [0x12]), ServerFrames.reply(stream: 1, token("a\nb")),
            ServerFrames.reply(stream: 1, []),
        ]
        for ending in endings {
            let played = PlayedSession([put], user: user)
            expect(played.results(of: ending) == [.answered(CallID(1), .unknown)], "\(ending)")
        }
        let given = PlayedSession([put], user: user)
        given.session.cancel(CallID(1))
        expect(given.session.takeResults() == [.answered(CallID(1), .unknown)])
        expect(given.session.takeOutput() == ServerFrames.reset(stream: 1, 8))
    }

    @Test func `no token is sent where etcd wants none, until it wants one`() {
        let played = PlayedSession([put], user: user)
        let refusal = ServerFrames.refusal(stream: 1, 9, "etcdserver: authentication is not enabled")
        expect(played.results(of: refusal) == [])
        expect(played.results(of: ServerFrames.refusal(stream: 3, 3, "etcdserver: user name is empty")) == [])
        played.receive(ServerFrames.reply(stream: 5, token("abc.1")))
        expect(played.results(of: ServerFrames.reply(stream: 7, done)) == [.answered(CallID(1), answer)])
    }
}
