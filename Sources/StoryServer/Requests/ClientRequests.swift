import StoryCore
import StoryEngine
import StoryNetwork
import StoryReactor
import StoryWire

/// The requests about the connections, `CLIENTS`, and the ends of connections whose clients must not go on.
final class ClientRequests {
    private let clients: Clients
    /// The connections that administrators asked to end.
    private var toEnd: [Connection] = []

    init(_ clients: Clients) { self.clients = clients }

    /// Answers a request; a connection ends with the turn, since a line of it may be read now.
    ///
    /// - Returns: the work that it took.
    func answer(_ request: ClientsRequest, tag: Tag?, to connection: Connection) -> Work {
        switch request {
        case .all: return clients.tell(list(nil), tag, connection)
        case .one(let number):
            let list = list(number)
            guard list.isEmpty else { return clients.tell(list, tag, connection) }
            refuse(number, tag, connection)
            return .zero
        case .end(let number):
            end(number, tag, by: connection)
            return .report
        }
    }

    private func list(_ number: UInt64?) -> ClientList {
        ClientList(
            clients.connections, clients.outbox, clients.publishing, clients.driver, clients.engine, only: number)
    }

    private func refuse(_ number: UInt64, _ tag: Tag?, _ connection: Connection) {
        let failure = Failure(.notFound, "there is no client \(number)")
        clients.output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
    }

    private func end(_ number: UInt64, _ tag: Tag?, by connection: Connection) {
        let found = clients.connections.all.first { $0.client.number == number && !$0.isEnding }
        guard let ended = found else { return refuse(number, tag, connection) }
        let position = clients.driver.acknowledged.value
        let members = [Member("ended", .count(number)), Member("position", .count(position))]
        clients.output(connection).reply(.done(.members(members)), tag: tag, restsOn: .zero)
        clients.trace.say("client-ended", ["client": "\(number)", "by": "\(connection.peer.uid)"])
        toEnd.append(ended)
    }

    /// Ends the connections that administrators asked to end.
    func endAsked() {
        let ended = toEnd
        toEnd = []
        for connection in ended where !connection.isEnding {
            clients.end(connection, .ended, Failure(.denied, "an administrator ended the connection"))
        }
    }

    /// Ends a connection whose certificate is accepted no more.
    func endCertificate(of connection: Connection, _ error: TLSError) {
        let certificate = connection.client.certificate
        clients.trace.say(
            "certificate-ended",
            ["certificate": certificate?.name ?? "", "from": certificate?.from ?? "", "reason": "\(error)"])
        clients.end(connection, .certificate, Failure(.denied, "\(error)"))
    }
}
