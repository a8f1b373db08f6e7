import CUV

/// The housekeeping of the reactor, ten times a second.
extension Reactor {
    func tick() {
        if let socketFile { _ = handles.startListening(socketFile.descriptor) }
        if endingCount > 0 { connections.forEach(endIfLate) }
        ticks += 1
        if ticks % Reactor.goneTicks == 0 { connections.forEach { if $0.isAbandoned { shut($0) } } }
        handler?.timerFired()
        requestTurn()
    }

    private func endIfLate(_ connection: Connection) {
        switch connection.phase {
        case .open, .closed: break
        case .finishing(let deadline, _), .lingering(let deadline, _):
            if deadline <= handles.now { shut(connection) }
        }
    }
}
