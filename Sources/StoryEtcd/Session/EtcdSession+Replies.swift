import StoryCluster

/// How the bytes of the streams become results.
extension EtcdSession {
    /// Takes what the connection found in the bytes that came.
    func takeEvents() {
        guard !hasEnded else { return }
        for event in connection.streams.takeEvents() where !hasEnded {
            switch event {
            case .received(let stream): read(stream)
            case .ended(let stream):
                read(stream)
                finish(stream)
            case .closed(let stream):
                finish(stream)
                connection.streams.forget(stream)
            }
        }
        if let failure = connection.failure { fail(.protocolEnded(failure)) }
    }

    private func read(_ stream: Int32) {
        if stream == renewals?.stream { return readRenewals(stream) }
        guard let id = requests[stream] else { return }
        switch pending[id]?.kind {
        case .call(let call): readReply(id, call, stream)
        case .watch where pending[id]?.isPaused == false: readWatch(id, stream)
        case .watch, nil: break
        }
    }

    /// Takes the end of a stream; one that has no trailers was cut off.
    private func finish(_ stream: Int32) {
        if stream == renewals?.stream { return endRenewals() }
        if case .asked(stream, let waiting) = token {
            tokenAnswered(connection.streams[stream], waiting: waiting)
            return connection.close(stream)
        }
        guard let id = requests[stream], let request = pending[id] else { return }
        let status = connection.streams[stream]?.status ?? GRPCStatus()
        if status.isDone, let reply = request.reply, connection.streams[stream]?.hasRest == false {
            drop(id)
            return say(.answered(id, reply))
        }
        finish(id, status.isDone ? .unknown : CallEnd(status))
    }

    private func finish(_ id: CallID, _ end: CallEnd) {
        switch end {
        case .refused(.tokenExpired) where peer.user == nil: self.end(id, .refused(.denied))
        case .refused(.tokenExpired), .refused(.denied): if !repeatWithToken(id) { self.end(id, end) }
        case .refused, .full, .unknown: self.end(id, end)
        }
    }

    private func readReply(_ id: CallID, _ call: OrderingCall, _ stream: Int32) {
        do throws(HTTP2Stream.Fault) {
            while let message = try connection.streams[stream]?.nextMessage(limit: EtcdSession.mostMessage) {
                // A call has one reply.
                guard pending[id]?.reply == nil else { return end(id, .unknown) }
                pending[id]?.reply = EtcdReply.answer(to: call, message)
            }
        } catch {
            guard error == .tooLong, case .range = call else { return end(id, .unknown) }
            end(id, .refused(.other("the answer has more than \(EtcdSession.mostMessage) bytes")))
        }
    }

    func readWatch(_ id: CallID, _ stream: Int32) {
        do {
            while pending[id] != nil,
                let message = try connection.streams[stream]?.nextMessage(limit: EtcdSession.mostMessage)
            {
                switch try WatchReply(message) {
                case .begun: break
                case .batch(let batch): say(.watched(id, batch))
                case .compacted: end(id, .refused(.compacted))
                case .cancelled(let reason): finish(id, CallEnd(message: reason))
                }
            }
        } catch {
            end(id, .unknown)
        }
    }

    private func readRenewals(_ stream: Int32) {
        do throws(HTTP2Stream.Fault) {
            while let message = try connection.streams[stream]?.nextMessage(limit: EtcdSession.mostMessage) {
                guard let id = renewals?.waiting.first else { return endRenewals() }
                renewals?.waiting.removeFirst()
                guard case .call(let call)? = pending.removeValue(forKey: id)?.kind else { continue }
                say(.answered(id, EtcdReply.answer(to: call, message)))
            }
        } catch {
            endRenewals()
        }
    }
}
