import StoryCore
import StoryEngine
import StoryReactor
@testable import StoryServer
import TestSupport
import Testing

/// The states of a connection: each with each input that it takes, and each that changes nothing.
struct ConnectionTests {
    /// An answer that is never complete.
    private final class Endless: AnswerCursor {
        func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep { .more }
    }

    private static let tag = StoryCore.Tag(trusted: Array("t".utf8))
    private static let states = ["open", "job", "room", "end", "answering", "closing", "closed"]

    /// Makes a connection that has come to a state.
    private func connection(_ state: String) -> Connection {
        let connection = Connection(
            id: ConnectionID(1), peer: Peer(uid: 1_000, role: .read), limits: Limits(),
            touched: TouchedConnections())
        switch state {
        case "job": connection.requestMustWait(for: .job, Self.tag)
        case "room": connection.requestMustWait(for: .room, Self.tag)
        case "end": connection.requestMustWait(for: .forwarded(isEnd: true), nil)
        case "answering":
            connection.answerBegan(Connection.Answer(cursor: Endless(), tag: Self.tag, restsOn: .zero))
        case "closing": _ = connection.finishRequested()
        case "closed": _ = connection.closed()
        default: break
        }
        return connection
    }

    private func name(of connection: Connection) -> String {
        switch connection.state {
        case .open: "open"
        case .awaiting(.job, _, _): "job"
        case .awaiting(.forwarded(isEnd: true), _, _): "end"
        case .awaiting: "room"
        case .answering: "answering"
        case .closing: "closing"
        case .closed: "closed"
        }
    }

    /// Gives an input to a connection in each state; returns the states that it changes, with those that come of them.
    private func changes(_ input: (Connection) -> Void) -> [String: String] {
        var found: [String: String] = [:]
        for state in Self.states {
            let connection = connection(state)
            let before = connection.conversation
            input(connection)
            if name(of: connection) != state { found[state] = name(of: connection) }
            expect(connection.isEnding || connection.conversation === before, "it goes on with what it had")
        }
        return found
    }

    @Test func `each state is reached, and has a conversation until no more requests are handled`() {
        expect(Self.states.map { name(of: connection($0)) } == Self.states)
        let talking = Self.states.filter { connection($0).conversation != nil }
        expect(talking == ["open", "job", "room", "end", "answering"])
        expect(Self.states.filter { connection($0).isEnding } == ["closing", "closed"])
        expect(Self.states.filter { connection($0).isOpen } == ["open"])
        expect(Self.states.filter { connection($0).isClosed } == ["closed"])
        expect(Self.states.filter { connection($0).answer != nil } == ["answering"])
        expect(Self.states.filter { connection($0).awaitsForwarded } == ["end"])
    }

    @Test func `a request waits, and an answer begins, where none does`() {
        expect(changes { $0.requestMustWait(for: .room, nil) } == ["open": "room"])
        let answer = Connection.Answer(cursor: Endless(), tag: nil, restsOn: .zero)
        expect(changes { $0.answerBegan(answer) } == ["open": "answering"])
    }

    @Test func `each wait has an end of its own`() {
        expect(changes { $0.waitIsOver() } == ["room": "open", "end": "open"])
        expect(changes { $0.answerEnded() } == ["answering": "open"])
        expect(changes { _ = $0.jobEnded() } == ["job": "open"])
    }

    @Test func `the end tells once which request has no reply`() {
        let ended = changes { _ = $0.finishRequested() }
        expect(ended.count == 5 && ended.values.allSatisfy { $0 == "closing" })
        for state in Self.states {
            let connection = connection(state)
            let conversation = connection.conversation
            let end = connection.finishRequested()
            expect(end?.conversation === conversation)
            if case .request(let tag)? = end?.unanswered {
                expect(["job", "room", "answering"].contains(state) && tag == Self.tag)
            } else {
                expect(["open", "end", "closing", "closed"].contains(state))
            }
            expect(connection.finishRequested() == nil)
        }
    }

    @Test func `a connection that is closed gives its conversation up once`() {
        expect(changes { _ = $0.closed() }.values.allSatisfy { $0 == "closed" })
        for state in Self.states {
            let connection = connection(state)
            let conversation = connection.conversation
            expect(connection.closed() === conversation && connection.closed() == nil && connection.isClosed)
        }
    }
}
