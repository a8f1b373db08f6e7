import CUV

/// The callbacks of libuv: each finds the reactor in the loop and the connection in the handle, and calls it.
enum Callbacks {
    static let connectionIsReady: uv_poll_cb = { handle, status, events in
        guard let handle, let data = handle.pointee.data, let loop = handle.pointee.loop else { return }
        let connection = Unmanaged<SocketConnection>.fromOpaque(data).takeUnretainedValue()
        reactor(of: loop)?.becameReady(connection, status: status, events: events)
    }

    static let connectionIsClosed: uv_close_cb = { handle in
        guard let handle, let data = handle.pointee.data, let loop = handle.pointee.loop else { return }
        let connection = Unmanaged<SocketConnection>.fromOpaque(data).takeUnretainedValue()
        reactor(of: loop)?.closed(connection)
    }

    static let clientIsWaiting: uv_poll_cb = { handle, _, _ in
        guard let handle, let data = handle.pointee.data, let loop = handle.pointee.loop else { return }
        reactor(of: loop)?.accept(Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue())
    }

    static let turnIsOver: uv_check_cb = { handle in
        guard let loop = handle?.pointee.loop, let reactor = reactor(of: loop) else { return }
        reactor.handles.stopIdling()
        reactor.bytesOfTurn = 0
        reactor.dials.reportEnded()
        reactor.secure.handshakes.turnEnded()
        reactor.handler?.turnEnded()
    }

    static let tickIsDue: uv_timer_cb = { handle in
        if let loop = handle?.pointee.loop { reactor(of: loop)?.tick() }
    }

    static let alarmRang: uv_poll_cb = { handle, _, _ in
        if let loop = handle?.pointee.loop { reactor(of: loop)?.handles.alarm.rang() }
    }

    static let signalCame: uv_signal_cb = { handle, signal in
        if let loop = handle?.pointee.loop { reactor(of: loop)?.handler?.signalReceived(signal) }
    }

    static let wasWoken: uv_async_cb = { handle in
        guard let loop = handle?.pointee.loop, let reactor = reactor(of: loop) else { return }
        reactor.dials.takeLookups()
        reactor.handler?.woken()
    }

    private static func reactor(of loop: UnsafeMutablePointer<uv_loop_t>) -> Reactor? {
        loop.pointee.data.map { Unmanaged<Reactor>.fromOpaque($0).takeUnretainedValue() }
    }
}
