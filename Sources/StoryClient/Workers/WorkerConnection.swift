import StoryCore

/// The connection of a worker, which holds a share of its cursor and is made again when it is lost.
actor WorkerConnection {
    /// A connection that holds the cursor.
    private struct Open {
        let channel: Channel
        let number: UInt64
        /// The share, and the position that it was done through; nil while the connection waits for one.
        var held: (share: UInt64, at: UInt64)?
    }

    /// The pause before a cursor that another worker has is asked for again.
    private static let pause = Duration.milliseconds(500)
    /// The time that events that are done wait for others.
    private static let gathering = Duration.milliseconds(100)

    private let worker: Worker
    private var open: Open?
    private var arrived = ReadyQueue<ReplyLine>()
    private var delivered = ReadyQueue<Delivered>()
    /// The announcement of the event that comes next; nil where it comes the first time.
    private var announced: (attempt: Int, isParked: Bool)?
    /// The newest event that is done and not acknowledged, and the number of such events.
    private var finished: (position: UInt64, count: Int)?
    /// The newest event that was done here, also before a lost connection: such events are acknowledged when they come again.
    private var through: UInt64 = 0
    /// The history that `through` is a position in, and the share that it is of.
    private var log: String?
    private var share: UInt64 = 1
    /// The number of `ACK`s that have no reply.
    private var unanswered = 0
    private var endpoint = 0
    private var fruitless = 0
    private var isClosed = false

    init(_ worker: Worker) { self.worker = worker }

    // MARK: Jobs

    /// Returns the next event; waits until there is one. Nil: the store has ended for good.
    ///
    /// - Throws: `ClientError`, `CancellationError`.
    func next() async throws -> Delivered? {
        do {
            while true {
                try Task.checkCancellation()
                if let one = delivered.popFirst() {
                    if acknowledgesAgain(one, through: through) { continue }
                    // A worker that hangs is to lose its lease.
                    open?.channel.ask(afterSilenceOf: nil)
                    return one
                }
                if open?.held == nil { try await hold() }
                if finished == nil { open?.channel.ask(afterSilenceOf: worker.dialer.silence) }
                do throws(ClientError) { try await takeLine() } catch { try lost(error) }
            }
        } catch  where worker.dialer.isOver.isSet && error is ClientError {
            return nil
        }
    }

    /// Sends a write that makes the event of a job done. A lost connection is made again, and the cursor tells then whether
    /// the write was done.
    ///
    /// - Returns: the reply; nil where it was lost after the write was done.
    func write(_ line: RequestLine, with body: JSONText, for job: Job) async throws -> StoreReply? {
        let line = line.option("cursor", "\(worker.cursor)@\(job.event.position)").body(body)
        while true {
            do throws(ClientError) {
                let reply = try await ask(line)
                (finished, through) = (nil, max(through, job.isParked ? 0 : job.event.position))
                return reply
            } catch {
                guard error.isLoss, !job.isParked else { throw error }
                try lost(error)
                if try await isDone(job) { return nil }
            }
        }
    }

    /// Holds the cursor again; returns false once the event of a job was delivered again.
    ///
    /// - Throws: `connectionLost` where the event was parked meanwhile, since connections were lost too often, or where the
    ///   store has another history now.
    private func isDone(_ job: Job) async throws -> Bool {
        let (position, history, share) = (job.event.position, log, share)
        while true {
            if open?.held == nil { try await hold(only: share) }
            guard log == history, self.share == share else { throw ClientError.connectionLost }
            if let at = open?.held?.at, at >= position {
                guard try await isParked(position) else { return true }
                throw ClientError.connectionLost
            }
            if let one = delivered.popFirst() {
                // The job in hand is this very one.
                if one.event.position == position, !one.isParked { return false }
                guard acknowledgesAgain(one, through: position) else { throw ClientError.connectionLost }
                continue
            }
            do throws(ClientError) { try await takeLine() } catch { try lost(error) }
        }
    }

    /// Acknowledges an event that was done before the connection was lost; returns false for any other one.
    private func acknowledgesAgain(_ one: Delivered, through last: UInt64) -> Bool {
        guard !one.isParked, one.event.position <= last, let open else { return false }
        send(acknowledgementOf: one.event.position, over: open.channel)
        return true
    }

    private func isParked(_ event: UInt64) async throws -> Bool {
        let line = RequestLine(.parked, worker.cursor).option("after", "\(event - 1)").option("limit", "1")
        let rows = try await ask(line).rows
        return rows.first.flatMap { JSONMembers($0.json)?.number("event") } == event
    }

    func done(_ job: Job) async throws {
        if !job.isParked { through = max(through, job.event.position) }
        // It came alone: nothing follows before it is done.
        guard !job.isParked, job.attempt == 1 else {
            _ = try await ask(RequestLine(.ack, "\(worker.cursor)@\(job.event.position)"))
            return
        }
        let isFirst = finished == nil
        finished = (job.event.position, (finished?.count ?? 0) + 1)
        if (finished?.count ?? 0) * 2 >= worker.settings?.window ?? 100 { return acknowledge() }
        guard isFirst else { return }
        Task { [weak self] in
            try? await Task.sleep(for: WorkerConnection.gathering)
            await self?.acknowledge()
        }
    }

    func fail(_ job: Job, error: String?, _ options: (RequestLine) -> RequestLine) async throws {
        let line = options(RequestLine(.fail, "\(worker.cursor)@\(job.event.position)"))
        acknowledge()
        _ = try await ask(line.option("error", error.flatMap(Job.told)))
        // Later events that were delivered are void: they come again.
        (delivered, announced) = (ReadyQueue(), nil)
    }

    func stillWorking() async throws { _ = try await ask(RequestLine(.ping)) }

    /// Gives the cursor back.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        acknowledge()
        guard let open else { return }
        open.channel.send("\(RequestLine(.unsubscribe, String(open.number)).text)\n".utf8)
        open.channel.close()
        self.open = nil
    }

    private func acknowledge() {
        guard let done = finished, let open else { return }
        finished = nil
        send(acknowledgementOf: done.position, over: open.channel)
    }

    private func send(acknowledgementOf position: UInt64, over channel: Channel) {
        unanswered += 1
        channel.send("\(RequestLine(.ack, "\(worker.cursor)@\(position)").text)\n".utf8)
    }

    // MARK: The connection

    /// Connects, makes the cursor where there are settings, and holds a share; waits while other workers have all.
    ///
    /// - Parameter share: the share that it must be; nil: any.
    private func hold(only share: UInt64? = nil) async throws {
        while true {
            let link = try await worker.dialer.connect(attempt: fruitless, from: endpoint)
            endpoint = link.next
            fruitless += 1
            (arrived, delivered, announced, unanswered, finished) = (ReadyQueue(), ReadyQueue(), nil, 0, nil)
            arrived.append(contentsOf: link.rest)
            do throws(ClientError) {
                return try await hold(share, over: link)
            } catch {
                link.channel.close()
                open = nil
                if case .notLeader(_, let address) = error, let leader = worker.dialer.endpoint(at: address) {
                    endpoint = leader
                } else if error.code == .held {
                    fruitless = 0
                    try await Task.sleep(for: WorkerConnection.pause)
                } else if !error.isLoss, error.retry != .later {
                    throw error
                }
            }
        }
    }

    private func hold(_ wanted: UInt64?, over link: Dialer.Link) async throws(ClientError) {
        let (channel, name) = (link.channel, worker.cursor)
        if let settings = worker.settings {
            _ = try await ask(RequestLine(.cursor, name).body(settings.json), over: channel)
        }
        let log = worker.isConfirmed ? link.greeting.log : nil
        let line = RequestLine(.work, name).option("share", wanted.map(String.init)).option("wait", "true")
        let reply = try await ask(line.option("log", log), over: channel)
        guard let members = JSONMembers(reply.final.json), let number = members.number("subscription") else {
            throw .protocolViolation(String(reply.final.text.prefix(200)))
        }
        open = Open(channel: channel, number: number)
        take(members)
        fruitless = 0
        if open?.held == nil { channel.ask(afterSilenceOf: worker.dialer.silence) }
        while open?.held == nil { try await takeLine() }
        guard let share = open?.held?.share else { throw .connectionLost }
        if self.log != link.greeting.log || self.share != share { through = 0 }
        (self.log, self.share) = (link.greeting.log, share)
    }

    private func take(_ members: JSONMembers) {
        if let at = members.number("at") { open?.held = (members.number("share") ?? 1, at) }
    }

    private func ask(_ line: RequestLine) async throws(ClientError) -> StoreReply {
        guard let open else { throw .connectionLost }
        return try await ask(line, over: open.channel)
    }

    private func ask(_ line: RequestLine, over channel: Channel) async throws(ClientError) -> StoreReply {
        channel.send("\(line.text)\n".utf8)
        var rows: [ReplyLine] = []
        while true {
            let reply = try await receive(over: channel)
            switch reply.kind {
            case .row: rows.append(reply)
            case .push, .notice: try push(reply)
            case .done, .failed:
                guard unanswered == 0 else {
                    try acknowledged(reply)
                    continue
                }
                if reply.kind == .failed { throw ClientError(Refusal(json: reply.json)) }
                return StoreReply(rows: rows, final: reply)
            }
        }
    }

    /// Takes a line that nobody has asked for.
    private func takeLine() async throws(ClientError) {
        guard let open else { throw .connectionLost }
        let line = try await receive(over: open.channel)
        switch line.kind {
        case .push, .notice: try push(line)
        case .done, .failed:
            guard unanswered > 0 else { throw .protocolViolation(String(line.text.prefix(200))) }
            try acknowledged(line)
        case .row: throw .protocolViolation(String(line.text.prefix(200)))
        }
    }

    private func acknowledged(_ line: ReplyLine) throws(ClientError) {
        unanswered -= 1
        guard line.kind == .failed else { return }
        let error = ClientError(Refusal(json: line.json))
        // The cursor is held again, and events that are not done come again.
        throw error.code == .lost || error.code == .conflict ? .connectionLost : error
    }

    private func receive(over channel: Channel) async throws(ClientError) -> ReplyLine {
        while true {
            if let line = arrived.popFirst() { return line }
            switch await channel.receive() {
            case .lines(let lines): arrived.append(contentsOf: lines)
            case .ended(let error): throw error == .closed ? .connectionLost : error
            }
        }
    }

    private func push(_ line: ReplyLine) throws(ClientError) {
        guard line.kind == .push else { return }
        guard let members = JSONMembers(line.json) else { throw .notUnderstood(line.text) }
        switch members.first {
        case "end": throw .connectionLost
        case "caughtUp", "behind": break
        case "share": take(members)
        case "again":
            let isParked = members["parked"].map { $0.elementsEqual("true".utf8) } ?? false
            announced = (members.number("attempt").flatMap { Int(exactly: $0) } ?? 1, isParked)
        case _:
            let (attempt, isParked) = announced ?? (1, false)
            announced = nil
            delivered.append(Delivered(event: try Event(line.json), attempt: attempt, isParked: isParked))
        }
    }

    /// Drops a connection that was lost; throws any other error.
    private func lost(_ error: ClientError) throws(ClientError) {
        guard error.isLoss else { throw error }
        open?.channel.close()
        open = nil
    }
}
