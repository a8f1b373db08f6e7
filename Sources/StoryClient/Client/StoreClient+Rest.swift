import StoryCore

// The verbs that are about the store itself.
extension StoreClient {
    /// What most of the answers have.
    private struct Answer: Decodable {
        let position: UInt64
        let verified: UInt64?
    }

    /// A family of figures, as a row of `METRICS` has it.
    private struct FigureFamily: Decodable {
        let text: String
    }

    private func answer(_ reply: StoreReply) throws -> Answer {
        try StoreDecoder.decode(Answer.self, reply.final.json)
    }

    /// Asks whether the store answers; the position of its last event.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func ping() async throws -> UInt64 { try answer(await ask(RequestLine(.ping))).position }

    /// Counts, sizes in bytes, rates and latencies, as docs/protocol.md describes them.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func stats() async throws -> JSONValue {
        try StoreDecoder.decode(JSONValue.self, try await ask(RequestLine(.stats)).final.json)
    }

    /// The same figures as text for programs that collect them: OpenMetrics 1.0, its end included.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func metrics() async throws -> String {
        let rows = try await ask(RequestLine(.metrics)).rows
        let texts = try rows.map { try StoreDecoder.decode(FigureFamily.self, $0.json).text }
        return texts.joined() + "# EOF\n"
    }

    /// The connections of the store, or the one with a number, as docs/protocol.md describes them.
    ///
    /// - Throws: `ClientError`, `notFound` where there is none with the number; or `CancellationError`.
    public func clients(_ number: UInt64? = nil) async throws -> [JSONValue] {
        let reply = try await ask(RequestLine(.clients, number.map { "\($0)" }))
        return try reply.rows.map { try StoreDecoder.decode(JSONValue.self, $0.json) }
    }

    /// What the store says of a verb or an error code; of all verbs without a topic.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func help(_ topic: String? = nil) async throws -> [JSONValue] {
        try await ask(RequestLine(.help, topic)).rows.map { try StoreDecoder.decode(JSONValue.self, $0.json) }
    }

    /// Writes the read models to the disk now; the position that they are at. For administrators.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func checkpoint() async throws -> UInt64 { try answer(await askAlone(RequestLine(.checkpoint))).position }

    /// Checks every record of the log while the store serves; how many were checked. For administrators.
    ///
    /// - Throws: `ClientError`, `internal` with `isDamaged` where the log is damaged; or `CancellationError`.
    public func verify() async throws -> UInt64 {
        let answer = try answer(await askAlone(RequestLine(.verify)))
        return answer.verified ?? answer.position
    }

    /// Copies the log into a new data directory; the position of the copy's last event. For administrators.
    ///
    /// It is not sent twice: where the connection is lost meanwhile, whether there is a copy is unknown.
    ///
    /// - Parameter path: absolute, on the store's machine; nothing may be there yet.
    /// - Throws: `ClientError` or `CancellationError`.
    public func backup(to path: String) async throws -> UInt64 {
        try answer(await askAlone(RequestLine(.backup, path))).position
    }
}
