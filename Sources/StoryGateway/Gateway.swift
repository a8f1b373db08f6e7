package import StoryClient
import Synchronization

/// The answers of the gateway: a store's replies, live streams and figures over HTTP, and the page that shows them.
package final class Gateway: Sendable {
    /// The greatest number of live streams at a time.
    static let mostStreams = 64

    private let address: StoreAddress
    private let admission: Admission
    private let stop: StopSignal
    private let connections: QueryConnections
    private let streamCount = Atomic(0)

    package init(of address: StoreAddress, admission: Admission, stop: StopSignal) {
        (self.address, self.admission, self.stop) = (address, admission, stop)
        connections = QueryConnections(address, stop)
    }

    /// The functions for a server of HTTP.
    package var handler: HTTPServer.Handler {
        HTTPServer.Handler(refusal: admission.refusal, answer: answer)
    }

    /// Answers a request that was let in.
    private func answer(_ request: HTTPRequest, socket: Int32) -> HTTPAnswer {
        guard let target = request.address else {
            return StoreFailure.answer(MalformedQuery("the address has an escape that is not UTF-8, or a fragment"))
        }
        let path = target.path[...]
        switch path.first {
        case "healthz" where path.count == 1: return .text("ok", status: .ok)
        case "metrics" where path.count == 1: return FigurePage.answer(of: connections)
        case "api": return query(path.dropFirst(), target.query)
        case "live": return live(path.dropFirst(), options: target.query, for: request, socket: socket)
        default: return PageFiles.answer(path.joined(separator: "/"), request)
        }
    }

    private func query(_ path: ArraySlice<String>, _ options: [RequestTarget.Item]) -> HTTPAnswer {
        if path == ["greeting"], options.isEmpty { return QueryAnswer.greeting(of: connections) }
        do throws(MalformedQuery) {
            let line = try QueryLine.query(path.first ?? "", target: path.dropFirst(), options: options)
            return QueryAnswer.ask(line, of: connections)
        } catch {
            return StoreFailure.answer(error)
        }
    }

    private func live(
        _ target: ArraySlice<String>, options: [RequestTarget.Item], for request: HTTPRequest, socket: Int32
    ) -> HTTPAnswer {
        guard streamCount.add(1, ordering: .relaxed).newValue <= Gateway.mostStreams else {
            streamCount.subtract(1, ordering: .relaxed)
            return StoreFailure.answer(.busy(message: "\(Gateway.mostStreams) live streams are open; close one"))
        }
        let last = request.values(of: "last-event-id").first.flatMap { UInt64($0) }
        let stream = LiveStream(LiveRequest(target, options, last: last), of: address, stop: stop, socket: socket) {
            [self] in
            streamCount.subtract(1, ordering: .relaxed)
        }
        do throws(MalformedQuery) {
            return try stream.answer()
        } catch {
            return StoreFailure.answer(error)
        }
    }
}
