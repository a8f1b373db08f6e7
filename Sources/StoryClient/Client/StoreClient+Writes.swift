#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RequestLine {
    /// Returns the line with the options that all writes take.
    ///
    /// - Parameter key: nil: a new UUID, so that the write can be sent again after a lost connection.
    func write(_ key: String?, _ version: UInt64? = nil, _ meta: JSONText? = nil) -> RequestLine {
        option("key", key ?? UUID().uuidString).option("version", version.map(String.init)).option("meta", meta?.text)
    }
}

extension StoreClient {
    /// Sends a write.
    func write(_ line: RequestLine) async throws -> Receipt {
        try StoreDecoder.decode(Receipt.self, try await ask(line).final.json)
    }

    /// Sends a write with a form.
    ///
    /// - Throws: `InvalidForm` where fields of the form are wrong.
    func write<Form: StoreForm>(_ line: RequestLine, _ form: Form) async throws -> Receipt {
        let line = line.body(try JSONText(form))
        do {
            return try await write(line)
        } catch ClientError.invalid(let message, let fields) {
            throw InvalidForm<Form.Field>(message, fields)
        }
    }
}
