package import StoryCore

/// The writes that a node passes on to the node that leads, and the link over which it does.
///
/// Each method is an input; it returns the actions for the shell, in their order. The writes of a client are sent and
/// answered in the order in which they came. A write that was not sent waits for a node that leads. One that was sent,
/// and whose link broke, goes to the next one where it has a key; else its outcome is unknown.
package struct ForwardedWrites: Equatable {
    /// The bytes of writes at which no more are taken.
    package static let mostBytes = 4 << 20
    /// The number of writes of one client at which no more of it are taken.
    package static let mostOfClient = 256
    enum Progress: Equatable {
        /// It was not sent, or was certainly not carried out.
        case waiting
        case sent
        /// It may be carried out, and is sent again: it has a key.
        case doubtful
        /// It was refused: the position of the node that leads is asked for, which the refusal may rest on.
        case refused
        /// Its reply leaves once this node is at the position.
        case replied(at: Position)
        /// It failed here.
        case failed(ForwardedAnswer)
    }

    struct Passage: Equatable {
        let write: ForwardedWrite
        /// When it is given up where no node takes it, as a tick.
        var patienceEnds: UInt64
        var progress = Progress.waiting
        /// When the progress has taken too long, as a tick.
        var deadline: UInt64
        /// True once it was sent in vain, so that it may be carried out.
        var isDoubtful = false
        /// The lines of the reply so far, and the code of a failure.
        var reply: [UInt8] = []
        var code: ErrorCode?
    }

    var link: LeaderLink
    /// How long a write waits for a node that leads, or for an outcome, in ticks of 0.1 s.
    let patience: UInt64
    var passages: [UInt64: Passage] = [:]
    /// The numbers of each client's writes, in their order.
    private var clients: [UInt64: [UInt64]] = [:]
    /// The clients whose next reply waits for a position.
    private var held: Set<UInt64> = []
    private var lastNumber: UInt64 = 0
    private var bytes = 0
    /// The number of writes that the other node has.
    private(set) var sentCount = 0
    /// The last position that this node has.
    private var position: Position
    /// True once this node ends: no more writes are sent.
    private(set) var isEnding = false
    var actions: [ForwardingAction] = []

    /// True while the node that leads is not reached.
    package var isLeaderLost: Bool { link.isLost }

    /// Creates an empty list of a node that has the log up to a position.
    ///
    /// - Parameter patience: how long a write waits, in ticks of 0.1 s.
    package init(_ log: LogID, node: String, at position: Position, patience: UInt64) {
        link = LeaderLink(log, node: node)
        (self.position, self.patience) = (position, patience)
    }

    /// True while no more writes are taken.
    package var isFull: Bool { bytes >= ForwardedWrites.mostBytes }
    /// True while no write is with another node, and no reply waits.
    package var isSettled: Bool { sentCount == 0 && held.isEmpty }

    mutating func take() -> [ForwardingAction] {
        defer { actions = [] }
        return actions
    }

    // MARK: Clients

    /// A client sends a write.
    package mutating func add(_ write: ForwardedWrite, at tick: UInt64) -> [ForwardingAction] {
        lastNumber += 1
        passages[lastNumber] = Passage(write: write, patienceEnds: tick + patience, deadline: tick + patience)
        clients[write.client, default: []].append(lastNumber)
        bytes += write.line.count
        if link.isOpen, !isEnding { send(lastNumber, at: tick) }
        return take()
    }

    /// The connection of a client has ended: its writes need no answer.
    package mutating func clientGone(_ client: UInt64) {
        for number in clients[client] ?? [] { remove(number) }
        clients[client] = nil
        held.remove(client)
    }

    /// The connection of a client is about to end: its writes are answered as far as is known now.
    package mutating func clientEnds(_ client: UInt64) -> [(ForwardedWrite, ForwardedAnswer)] {
        defer { clientGone(client) }
        return (clients[client] ?? []).compactMap { number in
            guard let passage = passages[number] else { return nil }
            return switch passage.progress {
            case .waiting: (passage.write, .leaderless)
            case .sent, .doubtful: (passage.write, .unknown)
            case .refused, .replied: (passage.write, .reply(passage.reply, passage.code))
            case .failed(let answer): (passage.write, answer)
            }
        }
    }

    // MARK: This node

    /// The node that leads has changed; nil where none does.
    package mutating func leaderIs(_ leader: Leader?, at tick: UInt64) -> [ForwardingAction] {
        link.leaderIs(leader)
        advance(at: tick)
        return take()
    }

    /// This node has the log up to a position.
    package mutating func reached(_ position: Position) -> [ForwardingAction] {
        guard position > self.position else { return [] }
        self.position = position
        for client in held.sorted() { settle(client) }
        return take()
    }

    /// The clients whose next write no other node has: this node carries it out where it takes writes itself now.
    package var waitingClients: [UInt64] { clients.keys.filter { isWaiting(clients[$0]?.first) }.sorted() }

    /// Takes out the next write of a client, where no other node has it; `carriedOut` follows once it has its reply.
    package mutating func takeWaiting(of client: UInt64) -> ForwardedWrite? {
        guard let number = clients[client]?.first, isWaiting(number) else { return nil }
        defer { removeFirst(of: client) }
        return passages[number]?.write
    }

    /// A write that was taken out has its reply.
    package mutating func carriedOut(of client: UInt64) -> [ForwardingAction] {
        settle(client)
        return take()
    }

    func isWaiting(_ number: UInt64?) -> Bool {
        guard let progress = number.flatMap({ passages[$0]?.progress }) else { return false }
        return progress == .waiting || progress == .doubtful
    }

    /// This node ends: it sends no more writes.
    package mutating func ends() { isEnding = true }

    /// A tick of 0.1 s.
    package mutating func ticked(_ tick: UInt64) -> [ForwardingAction] {
        advance(at: tick)
        guard !passages.isEmpty else { return take() }
        var late: Set<UInt64> = []
        for (number, passage) in passages where passage.deadline <= tick {
            late.insert(passage.write.client)
            switch passage.progress {
            case .waiting: move(number, to: .failed(.leaderless), until: .max)
            case .sent, .doubtful: move(number, to: .failed(.unknown), until: .max)
            case .refused, .replied: move(number, to: .replied(at: .zero), until: .max)
            case .failed: break
            }
        }
        for client in late.sorted() { settle(client) }
        return take()
    }

    // MARK: Progress

    mutating func move(_ number: UInt64, to progress: Progress, until deadline: UInt64) {
        guard let before = passages[number]?.progress else { return }
        sentCount += (progress.isWithOther ? 1 : 0) - (before.isWithOther ? 1 : 0)
        passages[number]?.progress = progress
        passages[number]?.deadline = deadline
    }

    /// Answers the client's writes, in their order, as far as they have replies that may leave.
    mutating func settle(_ client: UInt64) {
        held.remove(client)
        while let number = clients[client]?.first, let passage = passages[number] {
            switch passage.progress {
            case .replied(let position) where position > self.position:
                held.insert(client)
                return
            case .replied: actions.append(.answer(passage.write, .reply(passage.reply, passage.code)))
            case .failed(let answer): actions.append(.answer(passage.write, answer))
            case .waiting, .sent, .doubtful, .refused: return
            }
            removeFirst(of: client)
        }
    }

    private mutating func removeFirst(of client: UInt64) {
        guard let number = clients[client]?.first else { return }
        clients[client]?.removeFirst()
        if clients[client]?.isEmpty == true { clients[client] = nil }
        remove(number)
    }

    private mutating func remove(_ number: UInt64) {
        guard let passage = passages.removeValue(forKey: number) else { return }
        bytes -= passage.write.line.count
        if passage.progress.isWithOther { sentCount -= 1 }
    }
}

extension ForwardedWrites.Progress {
    /// True while a line of the other node is awaited.
    fileprivate var isWithOther: Bool {
        switch self {
        case .sent, .refused: true
        case .waiting, .doubtful, .replied, .failed: false
        }
    }
}
