import StoryCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The decoder of the store's JSON into typed values.
enum StoreDecoder {
    /// Decodes a value.
    ///
    /// - Throws: `ClientError.notUnderstood` with the JSON.
    static func decode<Value: Decodable>(_ type: Value.Type, _ json: [UInt8]) throws(ClientError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(date)
        do {
            return try decoder.decode(type, from: Data(json))
        } catch {
            throw .notUnderstood(String(decoding: json.prefix(1_000), as: UTF8.self))
        }
    }

    /// Decodes an RFC 3339 date to the millisecond, since Foundation's own strategy accepts no fractions.
    @Sendable private static func date(_ decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        guard let instant = Instant(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is no RFC 3339 date")
        }
        return Date(instant)
    }
}

extension Date {
    init(_ instant: Instant) { self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000) }

    /// The date as `2026-11-20T12:34:56.789Z`; one before year 0 or after 9999 becomes the first or the last moment.
    var rfc3339: String {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        let range = Instant.range
        guard milliseconds < Double(range.upperBound) else { return Instant(milliseconds: range.upperBound).text }
        return Instant(milliseconds: Int64(exactly: milliseconds) ?? range.lowerBound).text
    }
}
