import StoryCore
import Testing
import TestSupport

@testable import StoryWire

struct SessionMachineTests {
    private let reader = RequestReader()

    @Test func `pipelined requests come out in order, then bytes are needed`() {
        expectActions(
            "@1 PING\n@2 GET users/1\nPI",
            [
                .request(KeptRequest(tag: tag("1"), action: .ping)),
                .request(KeptRequest(tag: tag("2"), action: .get(.users, id("1"), at: nil))),
                .needBytes,
            ])
    }

    @Test func `a line that is put back is the next one again, once and whole`() {
        var machine = SessionMachine(limits: Limits())
        machine.receive("PING\nGET users/1\nSTATS\nPI")
        let get = KeptAction.request(KeptRequest(tag: nil, action: .get(.users, id("1"), at: nil)))
        expect(machine.next(reader) == .request(KeptRequest(tag: nil, action: .ping)))
        for _ in 0..<2 {
            expect(machine.next(reader, isDone: false) == get)
            let (hasLine, count) = (machine.hasBufferedLine, machine.bufferedCount)
            expect(hasLine)
            expect(count == 20)
        }
        machine.receive("NG\n")
        expect(
            machine.actions(reader) == [
                get, .request(KeptRequest(tag: nil, action: .stats)), .request(KeptRequest(tag: nil, action: .ping)),
                .needBytes,
            ])
    }

    @Test func `a request breaks a run of syntax errors`() {
        var machine = SessionMachine(limits: Limits())
        machine.receive("PING\n{}\n{}\nGET users/1\n{}\n{}\n")
        let actions = machine.actions(reader)
        expect(actions.count == 7 && actions.last == .needBytes)
    }

    @Test func `a line may come in parts`() {
        var machine = SessionMachine(limits: Limits())
        machine.receive("PI")
        expect(machine.actions(reader) == [.needBytes])
        machine.receive("NG\n")
        let (hasLine, count) = (machine.hasBufferedLine, machine.bufferedCount)
        expect(hasLine)
        expect(count == 5)
        expect(machine.actions(reader) == [.request(KeptRequest(tag: nil, action: .ping)), .needBytes])
        let isLeft = machine.hasBufferedLine
        expect(!isLeft)
    }

    @Test func `after a half-close whole lines are answered and a last one without LF never is`() {
        var machine = SessionMachine(limits: Limits())
        machine.receive("PING\nPING\nDELETE stories/1")
        machine.peerClosed()
        let ping = KeptAction.request(KeptRequest(tag: nil, action: .ping))
        expect(machine.actions(reader) == [ping, ping, .finished])
        expect(machine.actions(reader) == [.finished])
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "{}\n", "frobnicate\nPING\n", "\u{16}\u{3}\nPING\n", "\nPING\n",
    ])
    func `a first line that is no request closes, and nothing after it is looked at`(text: String) {
        var machine = SessionMachine(limits: Limits())
        machine.receive(text)
        let actions = machine.actions(reader)
        expect(actions.count == 2)
        guard case .refuseAndClose = actions[0] else {
            Issue.record("the first line is refused and the connection closed")
            return
        }
        expect(actions[1] == .finished)
        machine.receive("PING\n")
        expect(machine.actions(reader) == [.finished])
    }

    @Test func `a first line with a known verb does not close, nor does an unknown verb later`() {
        expect(
            actions("LIST storys\nfrobnicate\nPING\n") == ["refuse unknown", "refuse unknown", "PING", "needBytes"])
    }

    @Test func `three syntax errors in a row close, with anything between they do not`() {
        expect(
            actions("PING\n!\n!\n!\n!\n") == ["PING", "refuse syntax", "refuse syntax", "close syntax", "finished"])
        expect(
            actions("PING\n!\n!\nfoo\n!\n!\nPING\n!\n") == [
                "PING", "refuse syntax", "refuse syntax", "refuse unknown", "refuse syntax", "refuse syntax", "PING",
                "refuse syntax", "needBytes",
            ])
    }

    @Test func `a line over the limit is refused, told and closes`() {
        var limits = Limits()
        limits.line = 16
        var machine = SessionMachine(limits: limits)
        machine.receive("PING\nPING xxxxxxxxxxxxxxxxxxxxx")
        let failure = Failure(.tooLarge, "a line has at most 16 bytes", .limit(16))
        expect(
            machine.actions(reader) == [
                .request(KeptRequest(tag: nil, action: .ping)), .refuseAndClose(nil, failure), .finished,
            ])
    }

    @Test(arguments: [
        ("@t4 PING", "t4"), ("  @t4  PING", "t4"), ("@", nil), ("@t\u{e9} PING", nil),
        ("@" + String(repeating: "t", count: 40), nil), ("PING @t4", nil),
    ])
    func `a line over the limit keeps its tag`(line: String, tag: String?) {
        var limits = Limits()
        limits.line = 16
        var machine = SessionMachine(limits: limits)
        machine.receive(line + String(repeating: " ", count: 100))
        let failure = Failure(.tooLarge, "a line has at most 16 bytes", .limit(16))
        expect(
            machine.actions(reader) == [.refuseAndClose(tag.map { Tag(trusted: Array($0.utf8)) }, failure), .finished])
    }

    @Test func `a role does what those before it do, and no more`() {
        expect(
            actions("PING\nSEE messages/1\nCHECKPOINT\n", .read) == [
                "PING", "refuse denied", "refuse denied", "needBytes",
            ])
        expect(actions("PING\nSEE messages/1\nCHECKPOINT\n", .write) == ["PING", "SEE", "refuse denied", "needBytes"])
        expect(actions("PING\nSEE messages/1\nCHECKPOINT\n", .admin) == ["PING", "SEE", "CHECKPOINT", "needBytes"])
    }

    @Test func `QUIT ends the session`() {
        expect(actions("QUIT\nPING\n") == ["QUIT", "finished"])
    }

    private func expectActions(_ text: String, _ actions: [KeptAction]) {
        var machine = SessionMachine(limits: Limits())
        machine.receive(text)
        expect(machine.actions(reader) == actions)
    }

    private func actions(_ text: String, _ role: Role = .admin) -> [String] {
        var machine = SessionMachine(limits: Limits())
        machine.receive(text)
        return machine.actions(reader, role).map(\.short)
    }
}

extension SessionMachine {
    mutating func receive(_ text: String) { Array(text.utf8).withUnsafeBytes { bytesReceived($0) } }

    /// The next action; its line is done with, or is the next one again.
    mutating func next(_ reader: RequestReader, isDone: Bool = true, _ role: Role = .admin) -> KeptAction {
        var request: KeptRequest?
        let outcome = withNextLine(reader, role: role) {
            request = KeptRequest($0)
            return isDone
        }
        return KeptAction(outcome, request)
    }

    /// The actions up to the first that waits or ends.
    mutating func actions(_ reader: RequestReader, _ role: Role = .admin) -> [KeptAction] {
        var actions: [KeptAction] = []
        while true {
            let action = next(reader, role)
            actions.append(action)
            if action == .needBytes || action == .finished { return actions }
        }
    }
}

extension KeptAction {
    /// The verb of a request, or what was done instead and why.
    var short: String {
        switch self {
        case .needBytes: "needBytes"
        case .finished: "finished"
        case .request(let request): request.action.verb.name
        case .refuse(_, let failure): "refuse \(failure.code.rawValue)"
        case .refuseAndClose(_, let failure): "close \(failure.code.rawValue)"
        }
    }
}
