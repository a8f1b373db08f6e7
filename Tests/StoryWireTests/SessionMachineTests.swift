import StoryCore
import Testing

@testable import StoryWire

struct SessionMachineTests {
    private let reader = RequestReader()

    @Test func `pipelined requests come out in order, then bytes are needed`() {
        expect(
            "@1 PING\n@2 GET users/1\nPI",
            [
                .request(Request(tag: tag("1"), action: .ping)),
                .request(Request(tag: tag("2"), action: .get(.users, id("1"), at: nil))),
                .needBytes,
            ])
    }

    @Test func `plain GETs are taken one by one, and what comes after them stays`() {
        var machine = SessionMachine(limits: Limits())
        machine.receive("GET users/1\nGET stories/2\nPING\nGET users/3\nGET users/")
        for id in ["users/1", "stories/2"] {
            guard let get = machine.takePlainGet() else {
                Issue.record("\(id) is a plain GET")
                return
            }
            #expect("\(get.kind.name)/\(String(decoding: get.id, as: UTF8.self))" == id)
        }
        let isTaken = machine.takePlainGet() != nil
        #expect(!isTaken)
        let user = LineAction.request(Request(tag: nil, action: .get(.users, id("3"), at: nil)))
        #expect(
            machine.actions(reader) == [.request(Request(tag: nil, action: .ping)), user, .needBytes])
        let isWhole = machine.takePlainGet() != nil
        #expect(!isWhole)
    }

    @Test func `a plain GET breaks a run of syntax errors, as any request does`() {
        var machine = SessionMachine(limits: Limits())
        machine.receive("PING\n{}\n{}\nGET users/1\n{}\n{}\n")
        for _ in 0..<3 { _ = machine.nextLine(reader, role: .admin) }
        let isTaken = machine.takePlainGet() != nil
        #expect(isTaken)
        let rest = machine.actions(reader)
        #expect(rest.count == 3 && rest.last == .needBytes)
    }

    @Test func `a line may come in parts`() {
        var machine = SessionMachine(limits: Limits())
        machine.receive("PI")
        #expect(machine.actions(reader) == [.needBytes])
        machine.receive("NG\n")
        let (hasLine, count) = (machine.hasBufferedLine, machine.bufferedCount)
        #expect(hasLine)
        #expect(count == 5)
        #expect(machine.actions(reader) == [.request(Request(tag: nil, action: .ping)), .needBytes])
        let isLeft = machine.hasBufferedLine
        #expect(!isLeft)
    }

    @Test func `after a half-close whole lines are answered and a last one without LF never is`() {
        var machine = SessionMachine(limits: Limits())
        machine.receive("PING\nPING\nDELETE stories/1")
        machine.peerClosed()
        let ping = LineAction.request(Request(tag: nil, action: .ping))
        #expect(machine.actions(reader) == [ping, ping, .finished])
        #expect(machine.actions(reader) == [.finished])
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "{}\n", "frobnicate\nPING\n", "\u{16}\u{3}\nPING\n", "\nPING\n",
    ])
    func `a first line that is no request closes, and nothing after it is looked at`(text: String) {
        var machine = SessionMachine(limits: Limits())
        machine.receive(text)
        let actions = machine.actions(reader)
        #expect(actions.count == 2)
        guard case .refuseAndClose = actions[0] else {
            Issue.record("the first line is refused and the connection closed")
            return
        }
        #expect(actions[1] == .finished)
        machine.receive("PING\n")
        #expect(machine.actions(reader) == [.finished])
    }

    @Test func `a first line with a known verb does not close, nor does an unknown verb later`() {
        #expect(
            actions("LIST storys\nfrobnicate\nPING\n") == ["refuse unknown", "refuse unknown", "PING", "needBytes"])
    }

    @Test func `three syntax errors in a row close, with anything between they do not`() {
        #expect(
            actions("PING\n!\n!\n!\n!\n") == ["PING", "refuse syntax", "refuse syntax", "close syntax", "finished"])
        #expect(
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
        #expect(
            machine.actions(reader) == [
                .request(Request(tag: nil, action: .ping)), .refuseAndClose(nil, failure), .finished,
            ])
    }

    @Test func `a role does what those before it do, and no more`() {
        #expect(
            actions("PING\nSEE messages/1\nCHECKPOINT\n", .read) == [
                "PING", "refuse denied", "refuse denied", "needBytes",
            ])
        #expect(actions("PING\nSEE messages/1\nCHECKPOINT\n", .write) == ["PING", "SEE", "refuse denied", "needBytes"])
        #expect(actions("PING\nSEE messages/1\nCHECKPOINT\n", .admin) == ["PING", "SEE", "CHECKPOINT", "needBytes"])
    }

    @Test func `QUIT ends the session`() {
        #expect(actions("QUIT\nPING\n") == ["QUIT", "finished"])
    }

    private func expect(_ text: String, _ actions: [LineAction]) {
        var machine = SessionMachine(limits: Limits())
        machine.receive(text)
        #expect(machine.actions(reader) == actions)
    }

    private func actions(_ text: String, _ role: Role = .admin) -> [String] {
        var machine = SessionMachine(limits: Limits())
        machine.receive(text)
        return machine.actions(reader, role).map(\.short)
    }
}

extension SessionMachine {
    mutating func receive(_ text: String) { Array(text.utf8).withUnsafeBytes { bytesReceived($0) } }

    /// The actions up to the first that waits or ends.
    mutating func actions(_ reader: RequestReader, _ role: Role = .admin) -> [LineAction] {
        var actions: [LineAction] = []
        while true {
            let action = nextLine(reader, role: role)
            actions.append(action)
            if action == .needBytes || action == .finished { return actions }
        }
    }
}

extension LineAction {
    /// The verb of a request, or what was done instead and why.
    var short: String {
        switch self {
        case .needBytes: "needBytes"
        case .finished: "finished"
        case .request(let request): request.action.verb.rawValue
        case .refuse(_, let failure): "refuse \(failure.code.rawValue)"
        case .refuseAndClose(_, let failure): "close \(failure.code.rawValue)"
        }
    }
}
