import LoopSupport
import StoryCore
import StoryReactor
@testable import StoryServer
import StoryWire
import TestSupport
import Testing

/// `OutboundLink` over sockets in memory.
@Suite struct OutboundLinkTests {
    private let transport = MemoryTransport()
    private let port = LinkTarget.host(HostAndPort(host: "a", port: 1), isSecure: false)

    private func link(limit: Int = 100) -> OutboundLink<LineFraming> {
        OutboundLink(LineFraming(limit: limit), nil, transport)
    }

    private func receive(_ text: String, _ link: OutboundLink<LineFraming>) {
        Array(text.utf8).withUnsafeBytes { link.received($0) }
    }

    private func line(_ link: OutboundLink<LineFraming>) -> String? {
        guard case .line(let line) = link.framing.lines.next() else { return nil }
        return String(decoding: line, as: UTF8.self)
    }

    @Test func `an address is a path, or a port that is reached with TLS`() {
        transport.listeners["/s"] = ConnectionID(7)
        let link = link()
        link.connect(to: LinkTarget(store: "/s"))
        expect(link.id == ConnectionID(7) && link.isOpen && !link.hasEnded)
        link.connect(to: LinkTarget(store: "/nobody"))
        expect(transport.outbound.isEmpty && link.takeEnd()?.isRefusal == true)
        link.connect(to: LinkTarget(store: "host:1"))
        expect(link.id == nil && transport.dials.isEmpty)
        let end = LinkEnd(reason: "it wants TLS: say --certificate, --certificate-key and --authority")
        expect(link.takeEnd() == end && link.takeEnd() == nil)
    }

    @Test func `output waits until the link is open`() throws {
        let link = link()
        link.framing.send(Array("A\n".utf8))
        link.connect(to: port)
        let id = try require(transport.dials.first?.id)
        link.framing.send(Array("B\n".utf8))
        link.flush()
        expect(!link.isOpen && transport.takeLines(id).isEmpty)
        transport.accept(id)
        link.made()
        link.flush()
        expect(link.isOpen && transport.takeLines(id) == ["B"], "a connection begins without earlier output")
    }

    @Test func `the lines before the end are there until it is taken, and their memory is free afterwards`() {
        transport.listeners["/s"] = ConnectionID(7)
        let link = link(limit: 1_000_000)
        link.connect(to: LinkTarget(store: "/s"))
        receive("one\ntwo\n" + String(repeating: "x", count: 500_000), link)
        link.closed()
        expect(link.id == nil && link.hasEnded && transport.outbound.isEmpty)
        receive("three\n", link)
        expect(line(link) == "one" && link.framing.lines.storageCount > 500_000)
        expect(link.takeEnd() == LinkEnd(reason: "it closed the connection"))
        expect(!link.hasEnded && line(link) == nil && link.framing.lines.storageCount == 0)
        link.connect(to: LinkTarget(store: "/s"))
        receive("four\n", link)
        expect(line(link) == "four")
    }

    @Test func `a connection that this side closes has no end, and none that is not there has one`() {
        transport.listeners["/s"] = ConnectionID(7)
        let link = link()
        link.end("nonsense")
        link.closed()
        expect(!link.hasEnded)
        link.connect(to: LinkTarget(store: "/s"))
        link.close()
        link.closed()
        expect(!link.hasEnded && transport.outbound.isEmpty)
        link.connect(to: LinkTarget(store: "/s"))
        link.end("nonsense")
        link.closed()
        expect(link.takeEnd() == LinkEnd(reason: "nonsense") && transport.outbound.isEmpty)
    }

    @Test(arguments: [("Connection refused", true), ("No route to host", false)])
    func `a port that nobody listens at is told from one that is not reached`(reason: String, isRefusal: Bool) throws {
        let link = link()
        link.connect(to: port)
        let id = try require(transport.dials.first?.id)
        transport.refuse(id, reason) { link.closed() }
        expect(link.takeEnd() == LinkEnd(reason: reason, isRefusal: isRefusal))
    }

    @Test func `a pause is one of its connection`() {
        transport.listeners["/s"] = ConnectionID(7)
        let link = link()
        link.setPaused(true)
        link.connect(to: LinkTarget(store: "/s"))
        expect(!transport.isPaused(ConnectionID(7)))
        link.setPaused(true)
        expect(transport.isPaused(ConnectionID(7)))
        link.connect(to: LinkTarget(store: "/s"))
        expect(!transport.isPaused(ConnectionID(8)))
        link.setPaused(true)
        expect(transport.isPaused(ConnectionID(8)))
        link.setPaused(false)
        expect(!transport.isPaused(ConnectionID(8)))
    }
}
