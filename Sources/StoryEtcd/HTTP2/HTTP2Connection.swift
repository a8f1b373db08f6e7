import CNGHTTP2

/// The client's end of an HTTP/2 connection, as bytes in and bytes out (nghttp2 in memory).
///
/// A stream that is paused takes no more than its window. The window of the connection is opened all the same, so that
/// the other streams go on.
final class HTTP2Connection {
    /// The number of bytes that the peer may send ahead on a stream, and on the connection.
    static let window: Int32 = 8 << 20

    private let session: OpaquePointer
    let streams = HTTP2Streams()
    /// The reason why the connection cannot be used any more; nil while it can.
    private(set) var failure: String?

    /// Creates a connection, whose first output is the preface.
    init() {
        let callbacks = HTTP2Streams.makeCallbacks()
        defer { nghttp2_session_callbacks_del(callbacks) }
        var options: OpaquePointer?
        let result = nghttp2_option_new(&options)
        guard result == 0 else { preconditionFailure("out of memory: the options of a connection") }
        defer { nghttp2_option_del(options) }
        nghttp2_option_set_no_auto_window_update(options, 1)
        var made: OpaquePointer?
        let context = Unmanaged.passUnretained(streams).toOpaque()
        let created = nghttp2_session_client_new2(&made, callbacks, context, options)
        guard created == 0, let made else { preconditionFailure("out of memory: a connection") }
        session = made
        var settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(HTTP2Connection.window)
            ),
        ]
        check(nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), &settings, settings.count))
        check(
            nghttp2_session_set_local_window_size(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, HTTP2Connection.window))
    }

    deinit { nghttp2_session_del(session) }

    /// Takes bytes that came from the peer.
    func received(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil, let start = bytes.baseAddress else { return }
        check(
            Int32(clamping: nghttp2_session_mem_recv(session, start.assumingMemoryBound(to: UInt8.self), bytes.count)))
        if failure == nil, streams.isGoingAway { failure = "etcd ends the connection" }
    }

    /// Appends the bytes that are to be sent, as far as the peer's windows permit.
    func takeOutput(into output: inout [UInt8]) {
        while true {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count > 0, let bytes else {
                check(Int32(clamping: count))
                break
            }
            output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        }
        // An error of the peer's shows once the frame that says so was taken.
        if failure == nil, nghttp2_session_want_read(session) == 0 { failure = "etcd broke the protocol" }
    }

    /// Opens a stream and returns its number; nil where the connection cannot be used any more.
    func open(_ headers: [(name: String, value: String)], sending bytes: [UInt8], isRequestWhole: Bool) -> Int32? {
        guard failure == nil else { return nil }
        var source = nghttp2_data_provider()
        source.read_callback = HTTP2Streams.source
        let id = HTTP2Connection.withHeaders(headers) { fields in
            nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, &source, nil)
        }
        // After some 10^9 streams there is no number left.
        check(id)
        guard id > 0 else { return nil }
        streams.add(HTTP2Stream(sending: bytes, isRequestWhole: isRequestWhole), id: id)
        return id
    }

    /// Sends more bytes on a stream whose request is not whole.
    func send(_ bytes: [UInt8], on id: Int32) {
        streams[id]?.send(bytes)
        // It is refused where the stream waits for no bytes.
        nghttp2_session_resume_data(session, id)
    }

    /// Ends a stream, as far as it is not closed, and forgets it.
    func close(_ id: Int32) {
        guard let stream = streams[id] else { return }
        streams.forget(id)
        guard !stream.isClosed else { return }
        check(nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, NGHTTP2_CANCEL.rawValue))
    }

    /// Takes the bytes of a paused stream again.
    func resume(_ id: Int32) { check(nghttp2_session_consume_stream(session, id, streams.resume(id))) }

    private func check(_ result: Int32) {
        guard result < 0, failure == nil else { return }
        failure = String(cString: nghttp2_strerror(result))
    }

    /// Calls `body` with headers as nghttp2 takes them; it copies them.
    private static func withHeaders<Result>(
        _ headers: [(name: String, value: String)], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        var text = headers.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
        return text.withUnsafeMutableBufferPointer { text in
            var next = text.baseAddress
            let fields = headers.map { header in
                let (name, value) = (header.name.utf8.count, header.value.utf8.count)
                defer { next = next?.advanced(by: name + value) }
                return nghttp2_nv(
                    name: next, value: next?.advanced(by: name), namelen: name, valuelen: value,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
            }
            return fields.withUnsafeBufferPointer(body)
        }
    }
}
