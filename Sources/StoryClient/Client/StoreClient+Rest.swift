import StoryCore

// The verbs that are about the store itself.
extension StoreClient {
    /// Checks that the store replies; returns the position of its last event.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func ping() async throws -> UInt64 { try await ask(RequestLine(.ping)).answer().position }

    /// Returns counts, sizes in bytes, rates and latencies, as docs/protocol.md describes them.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func stats() async throws -> JSONValue {
        try StoreDecoder.decode(JSONValue.self, try await ask(RequestLine(.stats)).final.json)
    }

    /// Returns the same figures in the text format OpenMetrics 1.0, including its `# EOF`.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func metrics() async throws -> String {
        let rows = try await ask(RequestLine(.metrics)).rows
        return try rows.map { try StoreDecoder.decode(FigureFamily.self, $0.json).text }.joined() + "# EOF\n"
    }

    /// Returns the connections of the store, or the one with a number, as docs/protocol.md describes them.
    ///
    /// - Throws: `ClientError`, `notFound` where there is none with the number; or `CancellationError`.
    public func clients(_ number: UInt64? = nil) async throws -> [JSONValue] {
        let request = RequestLine(.clients, number.map { "\($0)" })
        return try await ask(request).rows.map { try StoreDecoder.decode(JSONValue.self, $0.json) }
    }

    /// Ends the connection with a number, or throws `ClientError`, `notFound` where there is none. For administrators.
    public func endClient(_ number: UInt64) async throws { _ = try await askAlone(RequestLine(ending: number)) }

    /// Returns the store's help on a verb or an error code; without a topic, on all verbs.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func help(_ topic: String? = nil) async throws -> [JSONValue] {
        try await ask(RequestLine(.help, topic)).rows.map { try StoreDecoder.decode(JSONValue.self, $0.json) }
    }

    /// Writes a checkpoint of the read models and returns its position. For administrators.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func checkpoint() async throws -> UInt64 { try await askAlone(RequestLine(.checkpoint)).answer().position }

    /// Checks every record of the log while the store serves; returns their number. For administrators.
    ///
    /// - Throws: `ClientError`, `internal` with `isDamaged` where the log is damaged; or `CancellationError`.
    public func verify() async throws -> UInt64 {
        let answer = try await askAlone(RequestLine(.verify)).answer()
        return answer.verified ?? answer.position
    }

    /// Checks the log and returns its seal at a point, 64 hexadecimal digits; nil: at the last event. For administrators.
    ///
    /// Two copies of a history have the same seal at every position that they share.
    ///
    /// - Throws: as `verify`.
    public func seal(at point: LogPoint? = nil) async throws -> String {
        let reply = try await askAlone(RequestLine(.verify).option("at", point?.option))
        guard let seal = try reply.answer().seal else { throw ClientError.protocolViolation("VERIFY told no seal") }
        return seal
    }

    /// Copies the log into a new data directory; returns the position of the copy's last event. For administrators.
    ///
    /// The request is not sent twice: if the connection is lost meanwhile, it is unknown whether there is a copy.
    ///
    /// - Parameter path: an absolute path on the store's machine, which must not exist yet.
    /// - Throws: `ClientError` or `CancellationError`.
    public func backup(to path: String) async throws -> UInt64 {
        try await askAlone(RequestLine(.backup, path)).answer().position
    }

    /// The erasures of the content of events.
    public var erasures: Erasures { Erasures(client: self) }

    /// The cursors of workers.
    public var cursors: Cursors { Cursors(client: self) }
}

/// The members that most replies have.
private struct Answer: Decodable {
    let position: UInt64
    let verified: UInt64?
    let seal: String?
}

extension StoreReply {
    fileprivate func answer() throws -> Answer { try StoreDecoder.decode(Answer.self, final.json) }
}

/// A metric family: the text of one row of `METRICS`.
private struct FigureFamily: Decodable {
    let text: String
}
