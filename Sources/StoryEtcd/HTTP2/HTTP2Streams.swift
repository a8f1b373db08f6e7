import CNGHTTP2

/// An event of a connection's stream.
enum HTTP2Event: Equatable {
    /// Bytes of messages came.
    case received(Int32)
    /// The peer ended the stream; its trailers are there.
    case ended(Int32)
    /// The stream is closed, by its end or by a reset.
    case closed(Int32)
}

/// The streams of a connection, which nghttp2's callbacks find through the session's context.
final class HTTP2Streams {
    private var streams: [Int32: HTTP2Stream] = [:]
    /// The bytes that came on each paused stream since it was paused.
    private var paused: [Int32: Int] = [:]
    private var events: [HTTP2Event] = []
    /// True once the peer said that it ends the connection.
    private(set) var isGoingAway = false

    /// The stream of a number; nil where it was never opened, or is forgotten.
    subscript(id: Int32) -> HTTP2Stream? { streams[id] }

    /// Adds a stream.
    func add(_ stream: HTTP2Stream, id: Int32) { streams[id] = stream }

    /// Forgets a stream, whose events are not wanted any more.
    func forget(_ id: Int32) {
        streams[id] = nil
        paused[id] = nil
    }

    /// Returns what happened since the last call, in its order.
    func takeEvents() -> [HTTP2Event] {
        defer { events = [] }
        return events
    }

    /// Leaves the window of a stream as it is from now on: no more than that is taken.
    func pause(_ id: Int32) { if streams[id] != nil, paused[id] == nil { paused[id] = 0 } }

    /// Ends a pause, and returns the number of bytes that came meanwhile.
    func resume(_ id: Int32) -> Int { paused.removeValue(forKey: id) ?? 0 }

    // MARK: Callbacks

    /// Makes the table of callbacks, which the caller deletes.
    static func makeCallbacks() -> OpaquePointer {
        var made: OpaquePointer?
        let result = nghttp2_session_callbacks_new(&made)
        guard result == 0, let made else { preconditionFailure("out of memory: the callbacks of a connection") }
        nghttp2_session_callbacks_set_on_header_callback(made) {
            _, frame, name, nameCount, value, valueCount, _, context in
            guard let frame, let name, let streams = HTTP2Streams.of(context) else { return 0 }
            let text = String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
            let bytes = UnsafeRawBufferPointer(start: value, count: valueCount)
            streams[frame.pointee.hd.stream_id]?.status.headerReceived(text, bytes)
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made) { session, _, id, bytes, count, context in
            HTTP2Streams.of(context)?.received(UnsafeRawBufferPointer(start: bytes, count: count), id: id, session)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(made) { _, frame, context in
            if let frame { HTTP2Streams.of(context)?.received(frame.pointee.hd) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(made) { _, id, _, context in
            guard let streams = HTTP2Streams.of(context) else { return 0 }
            streams[id]?.isClosed = true
            streams.happened(.closed(id))
            return 0
        }
        return made
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTP2Streams? {
        context.map { Unmanaged<HTTP2Streams>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Takes bytes of a stream. The connection's window is opened at once, the stream's while it is not paused.
    private func received(_ bytes: UnsafeRawBufferPointer, id: Int32, _ session: OpaquePointer?) {
        nghttp2_session_consume_connection(session, bytes.count)
        if let count = paused[id] {
            paused[id] = count + bytes.count
        } else {
            nghttp2_session_consume_stream(session, id, bytes.count)
        }
        guard let stream = streams[id] else { return }
        stream.received(bytes)
        if events.last != .received(id) { happened(.received(id)) }
    }

    private func received(_ frame: nghttp2_frame_hd) {
        if frame.type == UInt8(NGHTTP2_GOAWAY.rawValue) { isGoingAway = true }
        let hasEnd = frame.type == UInt8(NGHTTP2_HEADERS.rawValue) || frame.type == UInt8(NGHTTP2_DATA.rawValue)
        if hasEnd, frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { happened(.ended(frame.stream_id)) }
    }

    /// Keeps an event, unless the connection ended before.
    private func happened(_ event: HTTP2Event) { if !isGoingAway { events.append(event) } }

    // MARK: Sending

    /// Gives nghttp2 the bytes of a stream that are to be sent.
    static let source: nghttp2_data_source_read_callback = { _, id, buffer, count, flags, _, context in
        guard let stream = HTTP2Streams.of(context)?[id] else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let memory = UnsafeMutableRawBufferPointer(start: buffer, count: count)
        guard let copied = stream.copyOutgoing(to: memory) else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
        if stream.isRequestSent { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return copied
    }
}
