import CMicroHTTPD
import Glibc

/// A server of HTTP on a socket that listens, each connection on a thread of its own.
package final class HTTPServer: Sendable {
    /// The bytes of the request line and the headers of one request.
    private static let headerBytes = 32_768
    private static let stackBytes = 524_288

    /// The functions that answer requests.
    package struct Handler: Sendable {
        /// Returns the refusal of a request, once its headers have arrived; nil where it is let in.
        let refusal: @Sendable (HTTPRequest) -> HTTPAnswer?
        /// Answers a request that was let in; the number is that of the connection's socket.
        let answer: @Sendable (HTTPRequest, Int32) -> HTTPAnswer
    }

    let handler: Handler
    let watch = ConnectionWatch()

    package init(_ handler: Handler) { self.handler = handler }

    /// Serves a socket, which belongs to the server from then on, until the result is stopped.
    ///
    /// - Returns: nil where the system refuses a thread.
    package func start(listening socket: Int32) -> Running? {
        var server = cmh_server(
            context: Unmanaged.passUnretained(self).toOpaque(), begin: HTTPServer.begin, handle: HTTPServer.handle,
            end: HTTPServer.end, notify: HTTPServer.notify,
            connections: UInt32(ConnectionWatch.most + ConnectionWatch.mostEnding),
            header_bytes: HTTPServer.headerBytes, stack_bytes: HTTPServer.stackBytes)
        return cmh_start(socket, &server).map { Running(self, $0) }
    }

    /// A server that serves.
    package final class Running {
        private let server: HTTPServer
        private let daemon: OpaquePointer

        fileprivate init(_ server: HTTPServer, _ daemon: OpaquePointer) {
            (self.server, self.daemon) = (server, daemon)
        }

        /// Ends the connections that take too long; to be called each second.
        package func endLate() { server.watch.endLate() }

        /// Stops, and waits for the threads of all connections.
        package func stop() { MHD_stop_daemon(daemon) }
    }

    /// A request between its first line and its end.
    private final class Exchange {
        let target: String
        var request: HTTPRequest?

        init(_ target: String) { self.target = target }
    }

    private static let begin:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
            UnsafeMutableRawPointer? = { _, target, _ in
                Unmanaged.passRetained(Exchange(target.map { String(cString: $0) } ?? "")).toOpaque()
            }

    private static let end: MHD_RequestCompletedCallback = { context, connection, exchange, _ in
        if let pointer = exchange?.pointee { Unmanaged<Exchange>.fromOpaque(pointer).release() }
        exchange?.pointee = nil
        if let context, let connection { HTTPServer.of(context).watch.answered(cmh_socket(connection)) }
    }

    private static let notify: MHD_NotifyConnectionCallback = { context, connection, _, change in
        guard let context, let connection else { return }
        let watch = HTTPServer.of(context).watch
        switch change {
        case .CONNECTION_NOTIFY_STARTED: watch.opened(cmh_socket(connection))
        default: watch.closed(cmh_socket(connection))
        }
    }

    private static let handle: MHD_AccessHandlerCallback = { context, connection, _, method, _, _, bodyCount, pointer in
        guard let context, let connection, let method, let opaque = pointer?.pointee else { return MHD_Result.NO }
        let exchange = Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue()
        let server = HTTPServer.of(context)
        guard let request = exchange.request else {
            let request = HTTPRequest(
                method: String(cString: method), target: exchange.target, headers: headers(of: connection))
            exchange.request = request
            return server.handler.refusal(request).map { server.queue($0, isLast: true, connection) } ?? MHD_Result.YES
        }
        // A request with a body was refused.
        guard bodyCount?.pointee == 0 else { return MHD_Result.NO }
        let socket = cmh_socket(connection)
        server.watch.letIn(socket)
        server.watch.works(socket)
        return server.queue(server.handler.answer(request, socket), isLast: false, connection)
    }

    private static func of(_ context: UnsafeMutableRawPointer) -> HTTPServer {
        Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    }

    private static func headers(of connection: OpaquePointer) -> [HTTPRequest.Header] {
        var headers: [HTTPRequest.Header] = []
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values(
                connection, MHD_ValueKind.HEADER_KIND,
                { headers, _, name, value in
                    guard let headers, let name else { return MHD_Result.YES }
                    let header = HTTPRequest.Header(String(cString: name), value.map { String(cString: $0) } ?? "")
                    headers.assumingMemoryBound(to: [HTTPRequest.Header].self).pointee.append(header)
                    return MHD_Result.YES
                }, headers)
        }
        return headers
    }

    /// Sends an answer.
    ///
    /// - Parameter isLast: true to close the connection behind it.
    private func queue(_ answer: HTTPAnswer, isLast: Bool, _ connection: OpaquePointer) -> MHD_Result {
        let socket = cmh_socket(connection)
        guard let response = response(answer.body, socket) else { return MHD_Result.NO }
        defer { MHD_destroy_response(response) }
        let close = isLast ? [("Connection", "close")] : []
        let headers = HTTPAnswer.always + answer.headers + close
        for (name, value) in headers {
            guard MHD_add_response_header(response, name, value) == MHD_Result.YES else { return MHD_Result.NO }
        }
        watch.leaves(socket)
        return MHD_queue_response(connection, UInt32(answer.status.rawValue), response)
    }

    private func response(_ body: HTTPAnswer.Body, _ socket: Int32) -> OpaquePointer? {
        switch body {
        case .bytes(var bytes):
            return MHD_create_response_from_buffer(bytes.count, &bytes, .RESPMEM_MUST_COPY)
        case .file(let file):
            return MHD_create_response_from_buffer(
                file.count, UnsafeMutableRawPointer(mutating: file.baseAddress), .RESPMEM_PERSISTENT)
        case .stream(let stream):
            let reader = Unmanaged.passRetained(StreamReader(stream, socket: socket, watch: watch)).toOpaque()
            let response = MHD_create_response_from_callback(
                UInt64.max, StreamReader.blockBytes, StreamReader.read, reader, StreamReader.free)
            if response == nil { Unmanaged<StreamReader>.fromOpaque(reader).release() }
            return response
        }
    }
}

/// The reader of a stream for the library, which asks for as many bytes as it has room for.
private final class StreamReader {
    static let blockBytes = 16_384

    private let stream: any BodyStream
    private let socket: Int32
    private let watch: ConnectionWatch
    private var piece: [UInt8] = []
    private var taken = 0

    init(_ stream: any BodyStream, socket: Int32, watch: ConnectionWatch) {
        (self.stream, self.socket, self.watch) = (stream, socket, watch)
    }

    static let free: MHD_ContentReaderFreeCallback = { reader in
        if let reader { Unmanaged<StreamReader>.fromOpaque(reader).release() }
    }

    static let read: MHD_ContentReaderCallback = { reader, _, buffer, count in
        guard let reader, let buffer else { return -2 }
        let room = UnsafeMutableRawBufferPointer(start: buffer, count: count)
        return Unmanaged<StreamReader>.fromOpaque(reader).takeUnretainedValue().read(into: room)
    }

    /// Returns the number of bytes; −1 at the end of the body, −2 where it cannot be completed.
    private func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        if taken == piece.count {
            watch.works(socket)
            defer { watch.leaves(socket) }
            switch stream.next() {
            case .bytes(let bytes): (piece, taken) = (bytes, 0)
            case .end: return -1
            case .cut: return -2
            }
        }
        let count = min(room.count, piece.count - taken)
        piece.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[taken..<taken + count])) }
        taken += count
        return count
    }
}
