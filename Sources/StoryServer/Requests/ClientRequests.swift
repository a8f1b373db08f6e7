import StoryCore
import StoryEngine
import StoryNetwork
import StoryReactor
import StoryWire

/// The requests about the connections, `CLIENTS`, and the ends of connections whose clients must not go on.
extension Requests {
    /// Answers a request; a connection ends with the turn, since a line of it may be read now.
    func answer(_ request: ClientsRequest, tag: Tag?, to connection: Connection) {
        switch request {
        case .all: tell(list(nil), tag, connection)
        case .one(let number):
            let list = list(number)
            if list.isEmpty { return refuse(number, tag, connection) }
            tell(list, tag, connection)
        case .end(let number): end(number, tag, by: connection)
        }
    }

    private func list(_ number: UInt64?) -> ClientList {
        ClientList(connections, outbox, publishing, driver, engine, only: number)
    }

    private func refuse(_ number: UInt64, _ tag: Tag?, _ connection: Connection) {
        let failure = Failure(.notFound, "there is no client \(number)")
        output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
    }

    private func end(_ number: UInt64, _ tag: Tag?, by connection: Connection) {
        left -= .report
        let found = connections.all.first { $0.client.number == number && !$0.isEnding }
        guard let ended = found else { return refuse(number, tag, connection) }
        let position = driver.acknowledged.value
        let members = [Member("ended", .count(number)), Member("position", .count(position))]
        output(connection).reply(.done(.members(members)), tag: tag, restsOn: .zero)
        trace.say("client-ended", ["client": "\(number)", "by": "\(connection.session.peer.uid)"])
        toEnd.append(ended)
    }

    /// Ends the connections that administrators asked to end.
    func endAsked() {
        let ended = toEnd
        toEnd = []
        for connection in ended where !connection.isEnding {
            end(connection, .ended, Failure(.denied, "an administrator ended the connection"))
            connection.lines.discard()
        }
    }

    /// Ends a connection whose certificate is accepted no more.
    func endCertificate(of connection: Connection, _ error: TLSError) {
        let certificate = connection.client.certificate
        trace.say(
            "certificate-ended",
            ["certificate": certificate?.name ?? "", "from": certificate?.from ?? "", "reason": "\(error)"])
        end(connection, .certificate, Failure(.denied, "\(error)"))
        connection.lines.discard()
    }
}
