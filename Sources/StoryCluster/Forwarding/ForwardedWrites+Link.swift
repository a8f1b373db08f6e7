package import StoryCore

// MARK: The link

extension ForwardedWrites {
    /// How much longer than another node's patience a reply of it is waited for, in ticks of 0.1 s.
    private static let slack: UInt64 = 10

    /// A line of the other node.
    package mutating func heard(_ line: PeerLine, at tick: UInt64) -> [ForwardingAction] {
        switch line {
        case .greeting(let log):
            guard link.greeted(log, at: tick) else {
                ended("it has another history", at: tick)
                break
            }
            actions.append(.say("leader-reached", reason: nil))
            for number in passages.keys.sorted() where !isEnding && isWaiting(number) { send(number, at: tick) }
        case .row(let number, let text): append(0x3D, text, to: number)
        case .done(let number, let position, let text): done(number, at: position, text, tick: tick)
        case .failed(let number, let code, let outcome, let text):
            failed(number, code, outcome: outcome, text, at: tick)
        case .draining:
            for (number, passage) in passages where passage.progress == .sent { isBack(number) }
            ended("it ends", at: tick)
        case .refused(let reason): ended(reason, at: tick)
        case .malformed: ended("it is no store", at: tick)
        case .other: break
        }
        return take()
    }

    /// The link is gone, or was not made: refused where nobody listens at the address.
    package mutating func linkEnded(isRefused: Bool, _ reason: String, at tick: UInt64) -> [ForwardingAction] {
        sentIsDoubtful(at: tick)
        if let term = link.ended(isRefused: isRefused, at: tick) { actions.append(.leaderIsGone(term)) }
        if link.tellsLoss() { actions.append(.say("leader-lost", reason: reason)) }
        advance(at: tick)
        return take()
    }

    /// Ends the link from this side.
    private mutating func ended(_ reason: String, at tick: UInt64) {
        actions.append(.disconnect)
        if link.tellsLoss() { actions.append(.say("leader-lost", reason: reason)) }
        sentIsDoubtful(at: tick)
        link.fail(at: tick)
    }

    /// Connects, or leaves a node that leads no more.
    mutating func advance(at tick: UInt64) {
        if link.mustLeave(hasSent: sentCount > 0, at: tick) {
            sentIsDoubtful(at: tick)
            actions.append(.disconnect)
            link.left(at: tick)
        }
        if let address = link.connect(at: tick) { actions.append(.connect(address)) }
    }

    mutating func send(_ number: UInt64, at tick: UInt64) {
        guard let write = passages[number]?.write else { return }
        move(number, to: .sent, until: tick + patience + ForwardedWrites.slack)
        passages[number]?.reply = []
        actions.append(.ask(.write(number, user: write.user, text: write.line[write.verbIndex...])))
    }

    /// Notes that the other node sends no more replies.
    private mutating func sentIsDoubtful(at tick: UInt64) {
        guard sentCount > 0 else { return }
        for number in passages.keys.sorted() {
            guard let passage = passages[number] else { continue }
            switch passage.progress {
            case .sent where passage.write.isRepeatable: isDoubtful(number, at: tick)
            case .sent: move(number, to: .failed(.unknown), until: .max)
            case .refused: move(number, to: .replied(at: .zero), until: .max)
            case .waiting, .doubtful, .replied, .failed: continue
            }
            settle(passage.write.client)
        }
    }

    /// Notes that a write was not carried out by the node that it was sent to last.
    private mutating func isBack(_ number: UInt64) {
        guard let passage = passages[number] else { return }
        move(number, to: passage.isDoubtful ? .doubtful : .waiting, until: passage.patienceEnds)
    }

    /// Notes that a write with a key may be carried out by the node that it was sent to last.
    private mutating func isDoubtful(_ number: UInt64, at tick: UInt64) {
        guard let passage = passages[number] else { return }
        if !passage.isDoubtful { passages[number]?.patienceEnds = tick + patience }
        passages[number]?.isDoubtful = true
        isBack(number)
    }
}

// MARK: Replies

extension ForwardedWrites {
    private mutating func append(_ kind: UInt8, _ text: [UInt8], to number: UInt64) {
        guard let passage = passages[number], passage.progress == .sent else { return }
        passages[number]?.reply.append(kind)
        if let tag = passage.write.tag {
            passages[number]?.reply.append(0x40)
            tag.spelling.withUnsafeBytes { passages[number]?.reply += $0 }
        }
        passages[number]?.reply += text
        passages[number]?.reply.append(0x0A)
    }

    private mutating func done(_ number: UInt64, at position: Position?, _ text: [UInt8], tick: UInt64) {
        guard let passage = passages[number], passage.progress == .sent || passage.progress == .refused else { return }
        link.replied()
        append(0x2B, text, to: number)
        move(number, to: .replied(at: position ?? .zero), until: tick + patience)
        settle(passage.write.client)
    }

    private mutating func failed(
        _ number: UInt64, _ code: ErrorCode, outcome: UnavailableOutcome?, _ text: [UInt8], at tick: UInt64
    ) {
        guard let passage = passages[number] else { return }
        switch (passage.progress, code, outcome) {
        // It leads no more, so no write after this one is sent to it.
        case (.sent, .draining, _), (.sent, .unavailable, UnavailableOutcome.none?):
            isBack(number)
            link.leads(noMore: tick)
        case (.sent, .unavailable, .unknown?) where passage.write.isRepeatable:
            isDoubtful(number, at: tick)
            link.leads(noMore: tick)
        case (.sent, _, _):
            link.replied()
            append(0x2D, text, to: number)
            passages[number]?.code = code
            move(number, to: .refused, until: tick + patience)
            actions.append(.ask(.position(number)))
        case (.refused, _, _):
            move(number, to: .replied(at: .zero), until: .max)
            settle(passage.write.client)
        case (.waiting, _, _), (.doubtful, _, _), (.replied, _, _), (.failed, _, _): break
        }
    }
}
