import CUV
import StoryNetwork

/// The housekeeping of the reactor, ten times a second, and the ends of connections that are late.
extension Reactor {
    func tick() {
        for listener in listeners { _ = listener.start(in: handles) }
        for id in secure.handshakes.late(at: handles.now) { secure.giveUp(id, in: self) }
        if endingCount > 0 { connections.forEach(endIfLate) }
        secure.checkCertificates(at: WallClock.seconds, in: self)
        dials.endLate()
        ticks += 1
        if ticks % Reactor.goneTicks == 0 { connections.forEach { if $0.isAbandoned { shut($0) } } }
        handler?.timerFired()
        requestTurn()
    }

    private func endIfLate(_ connection: SocketConnection) {
        guard let deadline = connection.deadline, deadline <= handles.now else { return }
        if case .handshaking = connection.phase { secure.giveUp(connection.id, in: self) } else { shut(connection) }
    }

    /// Closes the connections that wait for their peers to close, where the peer has sent nothing more.
    package func endLingering() {
        guard endingCount > 0 else { return }
        connections.forEach { connection in
            switch connection.phase {
            case .finishing(let deadline, _): connection.phase = .finishing(deadline: deadline, lingers: false)
            case .lingering where !connection.isInputWaiting: shut(connection)
            case .handshaking, .open, .lingering, .closed: break
            }
        }
    }
}
