import StoryCluster

/// How requests begin and end on their streams.
extension EtcdSession {
    /// Sends a request, or has it wait for a token.
    func begin(_ id: CallID, _ request: PendingRequest) {
        precondition(pending[id] == nil, "request number \(id.number) used twice")
        guard !hasEnded else { return say(request.result(id, .unknown)) }
        pending[id] = request
        sendWithToken(id)
    }

    private func sendWithToken(_ id: CallID) {
        switch token {
        case .unneeded: send(id, token: nil)
        case .known(let token): send(id, token: token)
        case .asked(let stream, let waiting): token = .asked(stream: stream, waiting: waiting + [id])
        case .missing: askForToken(id)
        }
    }

    private func send(_ id: CallID, token: String?) {
        guard let request = pending[id] else { return }
        let message = request.message
        if request.method == .renewLease { return renew(id, message, token: token) }
        let isCall = request.method != .watch
        guard let stream = open(request.method, message, token: token, isRequestWhole: isCall) else { return }
        pending[id]?.stream = stream
        pending[id]?.token = token
        requests[stream] = id
        if request.isPaused { connection.streams.pause(stream) }
    }

    /// Opens a stream; without one the session has failed.
    private func open(_ method: EtcdMethod, _ message: [UInt8], token: String?, isRequestWhole: Bool) -> Int32? {
        let stream = connection.open(
            peer.headers(method, token: token), sending: message, isRequestWhole: isRequestWhole)
        if stream == nil { fail(.protocolEnded(connection.failure ?? "no stream")) }
        return stream
    }

    /// Forgets a request; its stream is closed.
    func drop(_ id: CallID) {
        guard let request = pending.removeValue(forKey: id) else { return }
        if let stream = request.stream { close(stream) }
        if renewals?.waiting.contains(id) == true { endRenewals() }
        guard case .asked(let stream, var waiting) = token else { return }
        waiting.removeAll { $0 == id }
        token = waiting.isEmpty ? .missing : .asked(stream: stream, waiting: waiting)
        if waiting.isEmpty { close(stream) }
    }

    private func close(_ stream: Int32) {
        requests[stream] = nil
        connection.close(stream)
    }

    // MARK: Tokens

    private func askForToken(_ id: CallID) {
        guard let user = user() else { return send(id, token: nil) }
        let message = EtcdRequest.authenticate(user)
        guard let stream = open(.authenticate, message, token: nil, isRequestWhole: true) else { return }
        token = .asked(stream: stream, waiting: [id])
    }

    /// Takes the end of the request for a token.
    func tokenAnswered(_ stream: HTTP2Stream?, waiting: [CallID]) {
        let reply = stream.flatMap { try? $0.nextMessage(limit: EtcdSession.mostMessage) }
        let end = stream.map { CallEnd($0.status) } ?? .unknown
        if stream?.status.isDone == true, let found = reply.flatMap(EtcdReply.token) {
            token = .known(found)
        } else if end == .refused(.other(CallEnd.notEnabled)) {
            token = .unneeded
        } else {
            token = .missing
            for id in waiting { self.end(id, end) }
            return
        }
        for id in waiting { sendWithToken(id) }
    }

    /// Sends a request again whose token is not valid any more, or of no use; false where that was done already.
    func repeatWithToken(_ id: CallID) -> Bool {
        guard peer.user != nil, let request = pending[id], !request.isRepeated else { return false }
        if token == request.token.map(TokenState.known) ?? .unneeded { token = .missing }
        var again = PendingRequest(request.kind)
        again.isRepeated = true
        again.isPaused = request.isPaused
        if let stream = request.stream { close(stream) }
        pending[id] = again
        sendWithToken(id)
        return true
    }

    // MARK: Renewals

    private func renew(_ id: CallID, _ message: [UInt8], token: String?) {
        if let renewals {
            self.renewals?.waiting.append(id)
            return connection.send(message, on: renewals.stream)
        }
        guard let stream = open(.renewLease, message, token: token, isRequestWhole: false) else { return }
        renewals = (stream, [id])
    }

    /// Ends the stream of the renewals: those that wait have no known end, and the next one opens another stream.
    func endRenewals() {
        guard let renewals else { return }
        self.renewals = nil
        connection.close(renewals.stream)
        for id in renewals.waiting { end(id, .unknown) }
    }
}
