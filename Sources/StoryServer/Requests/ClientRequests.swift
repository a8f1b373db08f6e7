import StoryCore
import StoryEngine
import StoryNetwork
import StoryReactor
import StoryWire

/// The requests about the connections, `CLIENTS`, and the ends of connections whose clients must not go on.
final class ClientRequests {
    /// The connections that administrators asked to end.
    private var toEnd: [Connection] = []

    /// Answers a request; a connection ends with the turn, since a line of it may be read now.
    func answer(_ request: ClientsRequest, tag: Tag?, to connection: Connection, of requests: Requests) {
        switch request {
        case .all: requests.tell(list(nil, of: requests), tag, connection)
        case .one(let number):
            let list = list(number, of: requests)
            if list.isEmpty { return refuse(number, tag, connection, of: requests) }
            requests.tell(list, tag, connection)
        case .end(let number): end(number, tag, by: connection, of: requests)
        }
    }

    private func list(_ number: UInt64?, of requests: Requests) -> ClientList {
        ClientList(
            requests.connections, requests.outbox, requests.publishing, requests.driver, requests.engine, only: number)
    }

    private func refuse(_ number: UInt64, _ tag: Tag?, _ connection: Connection, of requests: Requests) {
        let failure = Failure(.notFound, "there is no client \(number)")
        requests.output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
    }

    private func end(_ number: UInt64, _ tag: Tag?, by connection: Connection, of requests: Requests) {
        requests.left -= .report
        let found = requests.connections.all.first { $0.client.number == number && !$0.isEnding }
        guard let ended = found else { return refuse(number, tag, connection, of: requests) }
        let position = requests.driver.acknowledged.value
        let members = [Member("ended", .count(number)), Member("position", .count(position))]
        requests.output(connection).reply(.done(.members(members)), tag: tag, restsOn: .zero)
        requests.trace.say("client-ended", ["client": "\(number)", "by": "\(connection.session.peer.uid)"])
        toEnd.append(ended)
    }

    /// Ends the connections that administrators asked to end.
    func endAsked(of requests: Requests) {
        let ended = toEnd
        toEnd = []
        for connection in ended where !connection.isEnding {
            requests.end(connection, .ended, Failure(.denied, "an administrator ended the connection"))
            connection.lines.discard()
        }
    }

    /// Ends a connection whose certificate is accepted no more.
    func endCertificate(of connection: Connection, _ error: TLSError, of requests: Requests) {
        let certificate = connection.client.certificate
        requests.trace.say(
            "certificate-ended",
            ["certificate": certificate?.name ?? "", "from": certificate?.from ?? "", "reason": "\(error)"])
        requests.end(connection, .certificate, Failure(.denied, "\(error)"))
        connection.lines.discard()
    }
}
