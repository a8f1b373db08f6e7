import StoryCore
import StoryEngine
import StoryLog
import StoryModels
@testable import StoryServer
import StoryWire
import TestSupport

/// The engine with its reader and its encoder over memory: no socket, no file, no thread, no clock.
///
/// What one client sends at once is one turn.
final class EngineDepth: Depth {
    private final class Client {
        let session: SessionID
        let peer = Peer(uid: 1_000, role: .admin)
        var machine: SessionMachine
        var output: [UInt8] = []
        var subscriptions: [Subscription] = []
        var isFinished = false

        init(_ session: SessionID, _ limits: Limits) {
            self.session = session
            machine = SessionMachine(limits: limits)
        }
    }

    private let limits: Limits
    private let log = MemoryEventLog()
    private let store = MemoryModelStore()
    private let engine: Engine
    private let reader: RequestReader
    private let publisher: Publisher
    private var clients: [String: Client] = [:]
    private var sessions: [SessionID: Client] = [:]
    private var now = Instant(milliseconds: 1_800_000_000_000)

    init(_ limits: Limits) {
        self.limits = limits
        reader = RequestReader(lineLimit: limits.line)
        let events = LogReader(log: log, decoder: EventDecoder())
        engine = Engine(store: store, log: events, limits: limits, server: ProgramVersion.daemon)
        publisher = Publisher(log: log, store: store)
    }

    func connect(_ name: String) throws {
        let client = Client(SessionID(UInt64(clients.count + 1)), limits)
        clients[name] = client
        sessions[client.session] = client
        try turn(.connected(client.session, client.peer))
    }

    func send(_ bytes: [UInt8], from name: String) throws {
        guard let client = clients[name], !client.isFinished else { return }
        bytes.withUnsafeBytes { client.machine.bytesReceived($0) }
        while !client.isFinished, try takeLine(client) {}
        try endTurn()
    }

    func nextLine(to name: String) throws -> String? {
        guard let client = clients[name] else { return nil }
        guard let end = client.output.firstIndex(of: 0x0A) else {
            guard client.isFinished else { throw TookTooLong(what: "\(name) hears nothing more") }
            return nil
        }
        defer { client.output.removeFirst(end + 1) }
        return String(decoding: client.output[..<end], as: UTF8.self)
    }

    func end() {}

    private func turn(_ input: Input) throws {
        for effect in update(input) { try execute(effect) }
        try endTurn()
    }

    private func update(_ input: Input) -> [Effect] {
        now = Instant(milliseconds: now.milliseconds + 1)
        return engine.update(input, now: now)
    }

    /// False when there is no whole line to take.
    private func takeLine(_ client: Client) throws -> Bool {
        switch client.machine.nextLine(reader, role: client.peer.role) {
        case .needBytes: return false
        case .request(let request):
            for effect in update(.requested(client.session, request)) { try execute(effect) }
        case .refuse(let tag, let failure):
            ReplyEncoder.append(.failed(failure), tag: tag, to: &client.output)
        case .refuseAndClose(let tag, let failure):
            ReplyEncoder.append(.failed(failure), tag: tag, to: &client.output)
            client.isFinished = true
        case .finished: client.isFinished = true
        }
        return true
    }

    private func endTurn() throws {
        try log.commit()
        for client in sessions.values where !client.isFinished {
            for index in client.subscriptions.indices {
                while try publisher.publish(
                    &client.subscriptions[index], head: log.committed, &client.output, until: .max)
                {}
            }
        }
    }

    private func execute(_ effect: Effect) throws {
        switch effect {
        case .append(let event):
            var json: [UInt8] = []
            EventEncoder.append(event, to: &json)
            let appended = json.withUnsafeBytes { json in
                Result { () throws(StorageError) in try log.append(event.place, json: json) }
            }
            try appended.get()
        case .reply(let session, let tag, let reply):
            if let client = sessions[session] { ReplyEncoder.append(reply, tag: tag, to: &client.output) }
        case .notify(let session, let notice):
            if let client = sessions[session] { ReplyEncoder.append(notice, to: &client.output) }
        case .read(let session, let tag, let plan):
            if let client = sessions[session] { try read(plan, tag, &client.output) }
        case .follow(let session, let id, let selection, let from):
            sessions[session]?.subscriptions.append(Subscription(id: id, selection: selection, from: from))
        case .unfollow(let session, let id):
            sessions[session]?.subscriptions.removeAll { $0.id == id }
        case .finish(let session): sessions[session]?.isFinished = true
        case .help(let session, let tag, let topic):
            guard let client = sessions[session] else { return }
            for reply in Help.answer(topic) { ReplyEncoder.append(reply, tag: tag, to: &client.output) }
        case .endFollowing, .checkpoint, .verify, .backUp, .report:
            throw TookTooLong(what: "\(effect) needs more than the engine")
        }
    }

    private func read(_ plan: ReadPlan, _ tag: Tag?, _ output: inout [UInt8]) throws {
        var cursor = ReadCursor(plan, tag: tag)
        while true {
            guard case .finished(let count, let next) = try cursor.go(&output, until: .max, log: log, store: store)
            else { continue }
            let done = Done.read(count: count, next: next, position: plan.head)
            return ReplyEncoder.append(.done(done), tag: tag, to: &output)
        }
    }
}
