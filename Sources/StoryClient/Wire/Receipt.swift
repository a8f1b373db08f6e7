#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The store's receipt of a write: the stream, version and position of its event.
public struct Receipt: Hashable, Sendable, Decodable {
    /// The ID of the content; nil for events of your own.
    public let id: String?
    /// The stream that was written to.
    public let stream: String
    /// The stream's version after the write.
    public let version: UInt64
    /// The position of the last event that was written; where nothing was, of the stream's last event.
    public let position: UInt64
    /// The time when the store accepted the event; nil where nothing was written.
    public let time: Date?
    /// True when the write with this key had been done before: this is its first receipt.
    public let isRepeated: Bool
    /// False when the write would have changed nothing, and so nothing was written.
    public let isChanged: Bool
    /// The position of the event that erased the content of a repeated write; nil where it was not erased.
    public let erased: UInt64?
    /// The position of the cursor that the write of a worker moved; nil for every other write.
    public let cursor: CursorPlace?

    private enum CodingKeys: String, CodingKey {
        case id, stream, version, position, time, erased, cursor
        case isRepeated = "repeated"
        case isChanged = "changed"
    }

    /// Decodes a receipt; absent members mean not repeated, and changed.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decodeIfPresent(String.self, forKey: .id)
        stream = try members.decode(String.self, forKey: .stream)
        version = try members.decode(UInt64.self, forKey: .version)
        position = try members.decode(UInt64.self, forKey: .position)
        time = try members.decodeIfPresent(Date.self, forKey: .time)
        isRepeated = try members.decodeIfPresent(Bool.self, forKey: .isRepeated) ?? false
        isChanged = try members.decodeIfPresent(Bool.self, forKey: .isChanged) ?? true
        erased = try members.decodeIfPresent(UInt64.self, forKey: .erased)
        cursor = try members.decodeIfPresent(CursorPlace.self, forKey: .cursor)
    }
}

extension RequestLine {
    /// Returns the line with the options that all writes take.
    ///
    /// - Parameter key: nil: a new UUID, so that the write can be sent again after a lost connection.
    func write(
        _ key: String?, _ version: UInt64? = nil, _ meta: JSONText? = nil, unless: [Unless] = [], log: String? = nil
    ) -> RequestLine {
        option("key", key ?? UUID().uuidString).option("version", version.map(String.init)).option("meta", meta?.text)
            .option("unless", unless.option).option("log", log)
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
