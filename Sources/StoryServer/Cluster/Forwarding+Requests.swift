import StoryCluster
import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The requests of a node that are passed on, that wait for those, or that another node passes on.
extension Forwarding {
    /// Looks at a request that may be one of those.
    ///
    /// - Returns: nil for a request that is handled here; true for one that is passed on or refused, false for one that
    ///   waits.
    func look(at request: borrowing Request, of connection: Connection) -> Bool? {
        guard let requests else { return nil }
        guard request.author == nil else { return look(atPassedOn: request, of: connection, requests) }
        let isForOther = request.isWrite && !requests.waits.takesWrites
        if isForOther, hasRoom(connection) {
            add(request, dependency.reader.untagged, of: connection)
            return true
        }
        guard isForOther || connection.forwarded > 0 else { return nil }
        connection.requestMustWait(for: .forwarded(), request.tag)
        dependency.slow.mustWait(connection)
        return false
    }

    /// Refuses a write that is passed on to a node that does not lead; nil where it is handled.
    ///
    /// Such a node ends the connection: nothing that the other one sent behind is carried out, and it goes to the node
    /// that leads.
    private func look(
        atPassedOn request: borrowing Request, of connection: Connection, _ requests: Requests
    ) -> Bool? {
        connection.passesOn = true
        guard !requests.waits.takesWrites, !isToLead() else { return nil }
        _ = requests.refuse(.superseded, request.verb, tag: request.tag, connection)
        requests.drain(connection)
        return true
    }

    // MARK: Replies

    /// Has the engine handle a write that was to be passed on, since this node takes writes itself now.
    func carryOut(_ line: [UInt8], _ connection: Connection) {
        guard let requests, !connection.isEnding else { return }
        let bytes = line + [UInt8](repeating: 0, count: LineFramer.slack)
        bytes.withUnsafeBytes { bytes in
            do throws(RefusedLine) {
                let request = try dependency.reader.read(UnsafeRawBufferPointer(rebasing: bytes.prefix(line.count)))
                _ = requests.answer(request, connection)
            } catch {
                connection.client.asked(error.verb)
                let output = requests.output(connection)
                output.reply(.failed(error.failure), tag: error.tag, restsOn: dependency.engine.head)
            }
        }
    }

    /// Writes the answer to a write that was to be passed on.
    ///
    /// - Parameter failure: the answer where it was not carried out.
    func reply(
        _ answer: ForwardedAnswer, to write: ForwardedWrite, otherwise failure: Failure, on connection: Connection
    ) {
        guard let requests else { return }
        _ = dependency.figures.handled(write.verb)
        connection.client.asked(write.verb)
        let output = requests.output(connection)
        switch answer {
        case .leaderless: output.reply(.failed(failure), tag: write.tag, restsOn: .zero)
        case .unknown:
            let failure: Failure = write.isRepeatable ? .outcomeOfKeyUnknown : .outcomeUnknown
            output.reply(.failed(failure), tag: write.tag, restsOn: .zero)
        case .reply(let lines, let code):
            if let code { dependency.figures.failed(code, of: connection) }
            requests.outbox.write(to: connection, restsOn: .zero, durable: driver.acknowledged) { bytes in
                lines.withUnsafeBytes { bytes.raw($0) }
            }
        }
    }
}

extension Access {
    /// Returns the role of a peer, nil where it may not connect, and whether it is a node: on this machine the user who
    /// runs this one, or root; else a certificate with the name of a node of the log.
    ///
    /// - Parameter forwarding: the writes that a node passes on; nil where this store is none.
    func standing(of peer: PeerCredentials, owner: UInt32, _ forwarding: Forwarding?) -> (Role?, isNode: Bool) {
        let role = role(of: peer, owner: owner)
        guard let forwarding else { return (role, false) }
        guard let certificate = peer.certificate else {
            return (role, role == .admin && (peer.uid == owner || peer.uid == 0))
        }
        let isNode = certificate.name.map(forwarding.isMember) ?? false
        return (role ?? (isNode ? .read : nil), isNode)
    }
}
