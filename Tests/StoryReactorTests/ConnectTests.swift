import Glibc
import StoryReactor
import Synchronization
import TestSupport
import Testing

/// Connections that a reactor makes.
@Suite struct ConnectTests {
    @Test func `one that is accepted is served like that of a client, until its end`() throws {
        let heard = Mutex<[UInt8]>([])
        let behaviour = Behaviour(received: { _, _, bytes in heard.withLock { $0 += bytes } })
        let (server, client) = (try RunningReactor(), try RunningReactor(behaviour))
        let path = server.path
        client.perform { reactor in
            do throws(ReactorError) {
                let id = try reactor.connect(to: path)
                expect(reactor.send(id, Array("hello".utf8)))
            } catch {
                Issue.record("\(error)")
            }
        }
        try until("its echo is heard") { heard.withLock { $0 } == Array("hello".utf8) }
        expect(client.told == [], "its beginning is not reported")
        try server.stop()
        try until("its end is noticed") { client.told.count == 2 }
        expect(client.told == ["ended 0", "closed 0"])
        try client.stop()
    }

    @Test func `one that nobody accepts is refused at once`() throws {
        let reactor = try RunningReactor()
        let path = reactor.path + "-none"
        let isRefused = Mutex(false)
        reactor.perform { reactor in
            #expect(throws: ReactorError.refused(call: "connect", path: path, code: ENOENT)) {
                try reactor.connect(to: path)
            }
            #expect(throws: ReactorError.pathMalformed) { try reactor.connect(to: "") }
            isRefused.withLock { $0 = true }
        }
        try until("both were tried") { isRefused.withLock { $0 } }
        try reactor.stop()
    }

    @Test func `a loop that stops makes none, and ends`() throws {
        let (server, client) = (try RunningReactor(), try RunningReactor())
        let path = server.path
        client.perform { reactor in
            reactor.stop()
            #expect(throws: ReactorError.refused(call: "connect", path: path, code: ECANCELED)) {
                try reactor.connect(to: path)
            }
            #expect(throws: ReactorError.refused(call: "connect", path: "127.0.0.1:1", code: ECANCELED)) {
                try reactor.connect(host: "127.0.0.1", port: 1)
            }
        }
        try client.stop()
        try server.stop()
    }
}
