#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options that all writes take.
struct WriteOptions: Sendable {
    let key: String
    let version: UInt64?
    let meta: JSONText?

    /// Creates the options of a write.
    ///
    /// - Parameter key: nil: a new UUID, so that the write can be sent again after a lost connection.
    init(_ key: String?, _ version: UInt64? = nil, _ meta: JSONText? = nil) {
        self.key = key ?? UUID().uuidString
        self.version = version
        self.meta = meta
    }

    func added(to line: RequestLine) -> RequestLine {
        line.option("key", key).option("version", version).option("meta", meta?.text)
    }
}

extension StoreClient {
    /// Sends a write without a form.
    func write(_ line: RequestLine, _ options: WriteOptions) async throws -> Receipt {
        try StoreDecoder.decode(Receipt.self, try await ask(options.added(to: line)).final.json)
    }

    /// Sends a write with a form.
    ///
    /// - Throws: `InvalidForm` where fields of the form are wrong.
    func write<Form: StoreForm>(_ line: RequestLine, _ form: Form, _ options: WriteOptions) async throws -> Receipt {
        let line = options.added(to: line).body(try JSONText(form))
        do {
            return try StoreDecoder.decode(Receipt.self, try await ask(line).final.json)
        } catch ClientError.invalid(let message, let fields) {
            throw InvalidForm<Form.Field>(message, fields)
        }
    }
}
