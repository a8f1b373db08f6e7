import StoryCore
import Testing
import TestSupport

@testable import StoryWire

/// The lines of the link over which a node passes writes on.
struct PeerLineTests {
    private let requests = RequestReader()
    private let lines = PeerLineReader()

    private func read(_ text: String) -> PeerLine {
        let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: LineFramer.slack)
        return bytes.withUnsafeBytes { lines.read(UnsafeRawBufferPointer(rebasing: $0.prefix(text.utf8.count))) }
    }

    /// Has a reader read a line; returns the user and the verb, or the failure.
    private func passedOn(_ text: String) -> (author: UInt32?, verb: Verb?, role: Role?, failure: Failure?) {
        let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: LineFramer.slack)
        return bytes.withUnsafeBytes { bytes in
            do throws(RefusedLine) {
                let request = try requests.read(UnsafeRawBufferPointer(rebasing: bytes.prefix(text.utf8.count)))
                return (request.author, request.verb, request.role, nil)
            } catch {
                return (nil, error.verb, nil, error.failure)
            }
        }
    }

    @Test func `a write that is passed on has its own verb, and the user whom the node names`() {
        let write = passedOn(#"@7 as  4294967295 APPEND note-1 {"type":"A","data":1}"#)
        expect(write.author == .max && write.verb == .write(.append) && write.role == .read)
        expect(passedOn(#"APPEND note-1 {"type":"A","data":1}"#).author == nil)
        let define = passedOn(#"AS 0 DEFINE orders "from order""#)
        expect(define.author == 0 && define.verb == .write(.define) && define.role == .read)
        expect(passedOn("DEFINE orders \"from order\"").role == .define)
        expect(passedOn("DEFINE orders check=true \"from order\"").role == .read)
    }

    @Test(arguments: [
        "AS", "AS 5", "AS x DELETE stories/1", "AS -1 DELETE stories/1", "AS 4294967296 DELETE stories/1",
        "AS 5 GET users/1", "AS 5 AS 6 DELETE stories/1", "AS 5 @a DELETE stories/1",
    ])
    func `anything but a uid and a write is refused`(line: String) {
        expect(passedOn(line).failure?.code == .syntax)
    }

    @Test func `the bytes from the verb on are those that are passed on`() {
        for text in ["@a1   APPEND note-1 {}", "APPEND note-1 {}", "  APPEND note-1 {}"] {
            let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: LineFramer.slack)
            bytes.withUnsafeBytes { bytes in
                _ = try? requests.read(UnsafeRawBufferPointer(rebasing: bytes.prefix(text.utf8.count)))
                expect(String(decoding: requests.untagged, as: UTF8.self) == "APPEND note-1 {}")
            }
        }
        let request = PeerRequest.write(7, user: 5, text: Array("DELETE stories/1".utf8)[...])
        expect(PeerLineReader.line(of: request) == Array("@7 AS 5 DELETE stories/1\n".utf8))
        expect(PeerLineReader.line(of: .position(8)) == Array("@8 PING\n".utf8))
    }

    @Test func `each line of the other side is read`() {
        let row = #" {"stream":"a-1","version":1}"#
        expect(read("=@7" + row) == .row(7, text: Array(row.utf8)))
        let done = #" {"stream":"a-1","version":1,"position":9}"#
        expect(read("+@7" + done) == .done(7, Position(9), text: Array(done.utf8)))
        expect(read("+@7 {}") == .done(7, nil, text: Array(" {}".utf8)))
        let failed = #" {"code":"unavailable","message":"m","retry":"later","outcome":"none"}"#
        expect(read("-@7" + failed) == .failed(7, .unavailable, UnavailableOutcome.none, text: Array(failed.utf8)))
        let unknown = #" {"code":"later","message":"m"}"#
        expect(read("-@7" + unknown) == .failed(7, .internal, nil, text: Array(unknown.utf8)))
        expect(read(#"- {"code":"denied","message":"no"}"#) == .refused("denied: no"))
        expect(read(#"* {"draining":true,"position":1}"#) == .draining)
        expect(read(#"* {"server":"stored/1","log":"abc"}"#) == .greeting(LogID(trusted: Array("abc".utf8))))
        expect(read("> {}") == .other)
        for text in ["", "+", "HTTP/1.1 400", "+@7 x", #"* {"server":"stored/1"}"#] {
            expect(read(text) == .malformed)
        }
    }

    @Test func `while replies are awaited nothing is refused and no end is noticed, and each comes later`() {
        var machine = SessionMachine(limits: Limits())
        func next(_ machine: inout SessionMachine, isHeld: Bool) -> LineOutcome {
            machine.withNextLine(requests, role: .read, isHeld: isHeld) { _ in true }
        }
        machine.receive("@1 NO\n@2 CHECKPOINT\nPING\n")
        expect(next(&machine, isHeld: true) == .held(Tag(trusted: Array("1".utf8))))
        guard case .refuseAndClose = next(&machine, isHeld: false) else {
            Issue.record("a first line that is none speaks another protocol")
            return
        }
        machine = SessionMachine(limits: Limits())
        machine.receive("PING\n@2 CHECKPOINT\n")
        machine.peerClosed()
        expect(next(&machine, isHeld: true) == .taken)
        expect(next(&machine, isHeld: true) == .held(Tag(trusted: Array("2".utf8))))
        guard case .refuse(_, let failure) = next(&machine, isHeld: false) else {
            Issue.record("CHECKPOINT is not for this role")
            return
        }
        expect(failure.code == .denied)
        expect(next(&machine, isHeld: true) == .held(nil, isEnd: true))
        expect(next(&machine, isHeld: false) == .finished)
    }

    @Test func `only a node may send a longer line, and only one that it passes on`() {
        var limits = Limits()
        limits.line = 100
        let text = "DELETE stories/1 key="
        let line = text + String(repeating: "k", count: 100 - text.utf8.count)
        for (passesOn, sent, isTaken) in [
            (false, line, true), (false, line + " ", false), (true, line + " ", false), (true, "AS 5 " + line, true),
            (false, "AS 5 " + line, false),
        ] {
            var machine = SessionMachine(limits: limits, passesOn: passesOn)
            machine.receive(sent + "\n")
            let outcome = machine.withNextLine(requests, role: .admin) { _ in true }
            expect((outcome == .taken) == isTaken, "\(sent)")
        }
    }
}
