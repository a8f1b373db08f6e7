import StoryCluster
import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The requests of a node that are passed on to the node that leads, that wait for those, or that another node passes on.
extension Requests {
    /// Looks at a request that may be one of those.
    ///
    /// - Returns: nil for a request that is handled here; true for one that is passed on or refused, false for one that
    ///   waits.
    func passOn(_ request: borrowing Request, of connection: Connection, _ conversation: Conversation) -> Bool? {
        guard let forwarding = clients.forwarding else { return nil }
        guard request.author == nil else {
            conversation.passesOn = true
            return look(atPassedOn: request, of: connection, forwarding)
        }
        let isAtLeader = !waits.takesWrites && request.action.isAtLeaderAlone
        if isAtLeader, conversation.forwarded == 0 {
            return clients.refuse(leaderIsElsewhere(request.verb), request.verb, tag: request.tag, connection)
        }
        let isForOther = request.isWrite && !waits.takesWrites && !isAtLeader
        if isForOther, forwarding.hasRoom(connection, conversation) {
            forwarding.add(request, reader.untagged, of: connection, conversation)
            return true
        }
        guard isForOther || conversation.forwarded > 0 else { return nil }
        connection.requestMustWait(for: .forwarded(), request.tag)
        slow.mustWait(connection)
        return false
    }

    /// Returns the refusal of what a connection to the node that leads does.
    private func leaderIsElsewhere(_ verb: Verb) -> Failure {
        guard case .node(let node)? = clients.part, let leader = node.leader else {
            return Failure(.unavailable, "no node leads the log now: try again later", .outcome(.none))
        }
        let message =
            verb == .write(.erase)
            ? "the node that leads erases: send it to \(leader.node)"
            : "workers hold their cursors at \(leader.node), which leads"
        return Failure(.notLeader, message, .address(leader.address))
    }

    /// Refuses a write that is passed on to a node that does not lead; nil where it is handled.
    ///
    /// Such a node ends the connection: nothing that the other one sent behind is carried out, and it goes to the node
    /// that leads.
    private func look(
        atPassedOn request: borrowing Request, of connection: Connection, _ forwarding: Forwarding
    ) -> Bool? {
        guard !waits.takesWrites, !forwarding.isToLead else { return nil }
        _ = clients.refuse(.superseded, request.verb, tag: request.tag, connection)
        clients.drain(connection)
        return true
    }

    /// Begins to take writes, since this node leads, or ends to: then no other node passes any on to it.
    func takesWrites(_ takesWrites: Bool) {
        waits.takesWrites = takesWrites
        if takesWrites { return clients.resume(waits.takeLed()) }
        guard clients.forwarding != nil else { return }
        for connection in clients.connections.all where connection.conversation?.passesOn == true {
            clients.drain(connection)
        }
    }

    /// Carries out the writes that no other node has, where this node takes writes itself.
    ///
    /// - Parameter settle: carries out the effects of one: the answers to those behind it come before the next one's.
    func carryOutWaiting(settle: () -> Void) {
        guard let forwarding = clients.forwarding, waits.takesWrites else { return }
        for client in forwarding.waitingClients {
            while carryOutNext(of: client, forwarding) { settle() }
        }
    }

    /// Carries out the next of these writes of a client; returns false where there is none that can be.
    private func carryOutNext(of client: UInt64, _ forwarding: Forwarding) -> Bool {
        guard waits.takesWrites, !driver.holdsWrites(), let write = forwarding.takeWaiting(of: client) else {
            return false
        }
        guard let connection = clients.connections[ConnectionID(client)], let conversation = connection.conversation
        else { return true }
        conversation.forwarded -= 1
        carryOut(write.line, connection, in: conversation)
        forwarding.carriedOut(of: client)
        clients.goOn(connection)
        return true
    }

    private func carryOut(_ line: [UInt8], _ connection: Connection, in conversation: Conversation) {
        let bytes = line + [UInt8](repeating: 0, count: LineFramer.slack)
        bytes.withUnsafeBytes { bytes in
            do throws(RefusedLine) {
                let request = try reader.read(UnsafeRawBufferPointer(rebasing: bytes.prefix(line.count)))
                // A long fold takes many turns, and its write is the next line meanwhile: the client sends it again.
                if driver.declared.folds.isLong(request, in: engine.catalogue) {
                    _ = clients.refuse(.leaderless, request.verb, tag: request.tag, connection)
                } else {
                    _ = answer(request, connection, in: conversation)
                }
            } catch {
                connection.client.asked(error.verb)
                clients.output(connection).reply(.failed(error.failure), tag: error.tag, restsOn: engine.head)
            }
        }
    }
}

/// The replies to writes that were passed on.
extension Clients {
    /// Replies to a write that was passed on.
    func answered(_ write: ForwardedWrite, _ answer: ForwardedAnswer) {
        guard let connection = connections[ConnectionID(write.client)], let conversation = connection.conversation
        else { return }
        conversation.forwarded -= 1
        reply(answer, to: write, otherwise: .leaderless, on: connection)
        goOn(connection)
    }

    /// Lets the connections go on whose next write waits for room.
    func passingOnHasRoom(_ connections: [Connection]) { resume(connections.filter(\.awaitsForwarded)) }

    /// Lets a connection go on whose writes all have their replies.
    func goOn(_ connection: Connection) {
        if connection.conversation?.forwarded == 0, connection.awaitsForwarded { resume([connection]) }
    }

    /// Replies to the writes of a connection that were passed on, as far as their outcome is known, since it ends.
    ///
    /// - Parameter failure: the reply to a write that was not carried out.
    func endPassingOn(of connection: Connection, _ failure: Failure) {
        for (write, answer) in forwarding?.connectionEnds(connection) ?? [] {
            reply(answer, to: write, otherwise: failure, on: connection)
        }
    }

    /// - Parameter failure: the reply where it was not carried out.
    private func reply(
        _ answer: ForwardedAnswer, to write: ForwardedWrite, otherwise failure: Failure, on connection: Connection
    ) {
        _ = figures.handled(write.verb)
        connection.client.asked(write.verb)
        let output = output(connection)
        switch answer {
        case .leaderless: output.reply(.failed(failure), tag: write.tag, restsOn: .zero)
        case .unknown:
            let failure: Failure = write.isRepeatable ? .outcomeOfKeyUnknown : .outcomeUnknown
            output.reply(.failed(failure), tag: write.tag, restsOn: .zero)
        case .reply(let lines, let code):
            if let code { figures.failed(code, of: connection) }
            outbox.write(to: connection, restsOn: .zero, durable: driver.acknowledged) { bytes in
                lines.withUnsafeBytes { bytes.raw($0) }
            }
        }
    }
}

extension Access {
    /// Returns the role of a peer, nil where it may not connect, and whether it is a node: on this machine the user who
    /// runs this one, or root; else a certificate with the name of a node of the log.
    ///
    /// - Parameter nodes: the requests about the nodes of the log; nil where this store is none of them.
    func standing(of peer: PeerCredentials, owner: UInt32, _ nodes: NodeRequests?) -> (Role?, isNode: Bool) {
        let role = role(of: peer, owner: owner)
        guard let nodes else { return (role, false) }
        guard let certificate = peer.certificate else {
            return (role, role == .admin && (peer.uid == owner || peer.uid == 0))
        }
        let isNode = certificate.name.map(nodes.isNode) ?? false
        return (role ?? (isNode ? .read : nil), isNode)
    }
}
